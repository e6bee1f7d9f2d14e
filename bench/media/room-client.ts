import {
  AddTrackRequest,
  MuteTrackRequest,
  SessionDescription,
  SignalRequest,
  SignalResponse,
  TrackSource,
  TrackType,
} from '@livekit/protocol'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { WebSocket } from 'ws'
import { createCertificate } from '../../media/src/dtls/certificate.ts'
import type { TransportDescription } from '../../media/src/transport/transport.ts'
import { answerTo, offerOf, type ScriptedPeer } from '../../media/test/scripted-sdp.ts'
import { createTestPeer, type TestPeer } from '../../media/test/test-peer.ts'

export interface RoomAddress {
  /** Of the signaling, such as `ws://127.0.0.1:7880`. */
  readonly url: string
  readonly token: string
  readonly mediaPort: number
}

/** A participant that speaks LiveKit's protocol to any server, and decodes nothing. */
export interface RoomClient {
  onRtp: (packet: Buffer) => void
  publish(kind: 'audio' | 'video', ssrc: number): Promise<TestPeer>
  /** Mutes what was published, or unmutes it. */
  setMuted(isMuted: boolean): void
  leave(): Promise<void>
}

/** A server gives up on clients that don't ping. */
const PING_EVERY = 4000
const CHECK_EVERY = 2500

/** One for all clients: to make one takes longer than to connect. */
const certificate = createCertificate()

export async function joinRoom({ url, token, mediaPort }: RoomAddress): Promise<RoomClient> {
  const query = new URLSearchParams({ access_token: token, protocol: '15', auto_subscribe: '1', sdk: 'js' })
  const socket = new WebSocket(`${url}/rtc?${query.toString()}`)
  const peers: TestPeer[] = []
  const answered = Promise.withResolvers<string>()
  const subscribed = Promise.withResolvers<void>()
  let subscriber: { readonly peer: TestPeer; readonly described: ScriptedPeer } | undefined
  let publishedSid = ''
  let turn = Promise.resolve()

  const send = (message: SignalRequest['message']): void => {
    if (socket.readyState === WebSocket.OPEN) socket.send(new SignalRequest({ message }).toBinary())
  }

  async function createPeer(): Promise<{ peer: TestPeer; described: ScriptedPeer }> {
    const peer = await createTestPeer({ port: mediaPort, certificate, checkIntervalMs: CHECK_EVERY })
    peers.push(peer)
    return { peer, described: { ufrag: peer.ufrag, pwd: peer.pwd, fingerprint: peer.fingerprint } }
  }

  async function answerOffer({ sdp, id }: SessionDescription): Promise<void> {
    const isFirst = subscriber === undefined
    subscriber ??= await createPeer()
    const { peer, described } = subscriber
    peer.onRtp = (packet) => client.onRtp(packet)
    const value = new SessionDescription({ type: 'answer', sdp: answerTo(sdp, described), id })
    send({ case: 'answer', value })
    if (isFirst) await peer.connect(remoteOf(sdp))
    subscribed.resolve()
  }

  const client: RoomClient = {
    onRtp() {},
    async publish(kind, ssrc) {
      const cid = randomBytes(8).toString('hex')
      const type = kind === 'audio' ? TrackType.AUDIO : TrackType.VIDEO
      const source = kind === 'audio' ? TrackSource.MICROPHONE : TrackSource.CAMERA
      const size = kind === 'video' ? { width: 1280, height: 720 } : {}
      send({ case: 'addTrack', value: new AddTrackRequest({ cid, type, source, disableRed: true, ...size }) })
      const { peer, described } = await createPeer()
      // The server has the passive part, as in front of a browser.
      const sdp = offerOf(described, [{ cid, kind, ssrc }]).replaceAll('a=setup:actpass', 'a=setup:active')
      send({ case: 'offer', value: new SessionDescription({ type: 'offer', sdp, id: 1 }) })
      await peer.connect(remoteOf(await answered.promise))
      return peer
    },
    setMuted(muted) {
      send({ case: 'mute', value: new MuteTrackRequest({ sid: publishedSid, muted }) })
    },
    async leave() {
      socket.terminate()
      await Promise.all(peers.map((peer) => peer[Symbol.asyncDispose]()))
    },
  }

  socket.on('message', (bytes: Buffer) => {
    const { message } = SignalResponse.fromBinary(bytes)
    if (message.case === 'answer') answered.resolve(message.value.sdp)
    if (message.case === 'trackPublished') publishedSid = message.value.track?.sid ?? ''
    if (message.case === 'offer') turn = turn.then(() => answerOffer(message.value))
  })
  await once(socket, 'open')
  const pings = setInterval(() => send({ case: 'ping', value: BigInt(Date.now()) }), PING_EVERY)
  socket.on('close', () => clearInterval(pings))
  await subscribed.promise
  return client
}

function remoteOf(sdp: string): TransportDescription {
  const value = (name: string): string => new RegExp(`^a=${name}:(.*?)\\r?$`, 'm').exec(sdp)?.[1] ?? ''
  return { ufrag: value('ice-ufrag'), pwd: value('ice-pwd'), fingerprint: value('fingerprint') }
}
