import { AddTrackRequest, SessionDescription, TrackSource, TrackType } from '@livekit/protocol'
import { answerTo, offerOf, scriptedPeer, type ScriptedPeer, type ScriptedTrack } from './scripted-sdp.ts'
import type { SignalClient } from './signal-client.ts'

export const MICROPHONE: ScriptedTrack = { cid: 'microphone', kind: 'audio', ssrc: 11 }
export const CAMERA: ScriptedTrack = { cid: 'camera', kind: 'video', ssrc: 22 }

export function announce(
  client: SignalClient,
  { cid, kind }: ScriptedTrack,
  more: Partial<AddTrackRequest> = {},
): void {
  const type = kind === 'audio' ? TrackType.AUDIO : TrackType.VIDEO
  const source = kind === 'audio' ? TrackSource.MICROPHONE : TrackSource.CAMERA
  client.request({ case: 'addTrack', value: new AddTrackRequest({ cid, type, source, ...more }) })
}

export function offer(client: SignalClient, tracks: readonly ScriptedTrack[], peer = scriptedPeer(), id = 1): void {
  client.request({ case: 'offer', value: new SessionDescription({ type: 'offer', sdp: offerOf(peer, tracks), id }) })
}

/** Announces and negotiates tracks; returns the sid of the first. */
export async function publish(client: SignalClient, ...tracks: ScriptedTrack[]): Promise<string> {
  for (const track of tracks) announce(client, track)
  const { track } = await client.next('trackPublished')
  offer(client, tracks)
  await client.next('answer')
  return track?.sid ?? ''
}

const peers = new WeakMap<SignalClient, ScriptedPeer>()

/** Accepts the next offer, and returns it. */
export async function accept(
  client: SignalClient,
  peer = peers.get(client) ?? scriptedPeer(),
  known: Parameters<typeof answerTo>[2] = {},
): Promise<SessionDescription> {
  peers.set(client, peer)
  const offered = await client.next('offer')
  const sdp = answerTo(offered.sdp, peer, known)
  client.request({ case: 'answer', value: new SessionDescription({ type: 'answer', sdp, id: offered.id }) })
  return offered
}
