import {
  AddTrackRequest,
  ConnectionQuality,
  DisconnectReason,
  LeaveRequest,
  LeaveRequest_Action as LeaveAction,
  MuteTrackRequest,
  ParticipantInfo_State as State,
  Ping,
  RequestResponse_Reason as Reason,
  SessionDescription,
  SyncState,
  TrackInfo,
  TrackPublishedResponse,
  TrackSource,
  TrackType,
  UpdateSubscription,
  UpdateTrackSettings,
  VideoLayer,
} from '@livekit/protocol'
import { describe, expect, test, vi } from 'vitest'
import {
  answerTo,
  offerOf,
  scriptedPeer,
  type ScriptedPeer,
  type ScriptedTrack,
} from '../../../test/media/scripted-sdp.ts'
import type { SignalClient } from '../../../test/media/signal-client.ts'
import { signalFixture } from '../../../test/media/signal-fixture.ts'

const MICROPHONE: ScriptedTrack = { cid: 'microphone', kind: 'audio', ssrc: 11 }
const CAMERA: ScriptedTrack = { cid: 'camera', kind: 'video', ssrc: 22 }

function announce(client: SignalClient, { cid, kind }: ScriptedTrack, more: Partial<AddTrackRequest> = {}): void {
  const type = kind === 'audio' ? TrackType.AUDIO : TrackType.VIDEO
  const source = kind === 'audio' ? TrackSource.MICROPHONE : TrackSource.CAMERA
  client.request({ case: 'addTrack', value: new AddTrackRequest({ cid, type, source, ...more }) })
}

function offer(client: SignalClient, tracks: readonly ScriptedTrack[], peer = scriptedPeer(), id = 1): void {
  client.request({ case: 'offer', value: new SessionDescription({ type: 'offer', sdp: offerOf(peer, tracks), id }) })
}

/** Announces and negotiates tracks; returns the sid of the first. */
async function publish(client: SignalClient, ...tracks: ScriptedTrack[]): Promise<string> {
  for (const track of tracks) announce(client, track)
  const { track } = await client.next('trackPublished')
  offer(client, tracks)
  await client.next('answer')
  return track?.sid ?? ''
}

const peers = new WeakMap<SignalClient, ScriptedPeer>()

/** Accepts the next offer, and returns it. */
async function accept(client: SignalClient): Promise<SessionDescription> {
  const peer = peers.get(client) ?? scriptedPeer()
  peers.set(client, peer)
  const offered = await client.next('offer')
  const sdp = answerTo(offered.sdp, peer)
  client.request({ case: 'answer', value: new SessionDescription({ type: 'answer', sdp, id: offered.id }) })
  return offered
}

describe('joining a room', () => {
  test('answers with the room and who is there, and then with an offer that needs no tracks', async () => {
    const { open } = signalFixture()
    open({ identity: 'ada', name: 'Ada' })
    const bob = open({ identity: 'bob' })
    expect(bob.kinds[0]).toBe('join')
    const join = await bob.next('join')
    expect(join).toMatchObject({
      subscriberPrimary: true,
      fastPublish: true,
      pingInterval: 5,
      pingTimeout: 15,
      serverVersion: '1.2.3',
      room: { name: 'room', sid: expect.stringMatching(/^RM_\w{12}$/) },
      participant: { identity: 'bob', sid: expect.stringMatching(/^PA_\w{12}$/), state: State.JOINED },
    })
    expect(join.participant?.permission).toMatchObject({ canPublish: true, canSubscribe: true })
    expect(join.otherParticipants.map(({ identity, name }) => [identity, name])).toEqual([['ada', 'Ada']])
    const { id, sdp } = await bob.next('offer')
    expect(id).toBe(1)
    expect(sdp).toContain('m=application')
    expect(sdp).toContain('a=candidate:1 1 udp 2130706431 127.0.0.1 7882 typ host')
  })

  test('is announced to those who are there, and so is leaving', async () => {
    const { open, lost } = signalFixture()
    const ada = open({ identity: 'ada' })
    const bob = open({ identity: 'bob' })
    const joined = await ada.next('update')
    expect(joined.participants).toMatchObject([{ identity: 'bob', state: State.JOINED }])
    bob.request({ case: 'leave', value: new LeaveRequest() })
    const left = await ada.next('update')
    expect(left.participants).toMatchObject([{ identity: 'bob', state: State.DISCONNECTED }])
    expect(left.participants[0]?.version).toBeGreaterThan(joined.participants[0]?.version ?? 0)
    expect(lost).toEqual(['bob'])
  })

  test('becomes active with media, and loses it with the connection', async () => {
    const { open, plane, ask, lost } = signalFixture()
    const ada = open({ identity: 'ada' })
    await accept(ada)
    expect(plane.transports[0]?.expected).toMatch(/^sha-256 /)
    expect(ask('connections')).toEqual([
      { roomId: 'room', identity: 'ada', hasMedia: false, canPublish: true, isLive: false },
    ])
    plane.transports[0]?.onState('connected')
    expect((await ada.next('update')).participants).toMatchObject([{ state: State.ACTIVE }])
    expect(ask('connections')).toMatchObject([{ hasMedia: true }])
    plane.transports[0]?.onState('closed')
    expect(ask('connections')).toMatchObject([{ hasMedia: false }])
    expect(lost).toEqual(['ada'])
  })

  test('ends an earlier connection of the same identity', async () => {
    const { open, plane } = signalFixture()
    const first = open({ identity: 'ada' })
    const second = open({ identity: 'ada' })
    const leave = await first.next('leave')
    expect(leave).toMatchObject({ reason: DisconnectReason.DUPLICATE_IDENTITY, action: LeaveAction.DISCONNECT })
    expect(first.closed).toBe(1000)
    expect(plane.transports[0]?.isClosed).toBe(true)
    expect((await second.next('join')).otherParticipants).toEqual([])
    first.request({ case: 'leave', value: new LeaveRequest() })
    second.request({ case: 'pingReq', value: new Ping({ timestamp: 1n }) })
    expect((await second.next('pongResp')).lastPingTimestamp).toBe(1n)
  })

  test('is refused by a full room', async () => {
    const { open } = signalFixture()
    for (let nth = 0; nth < 500; nth += 1) open({ identity: `person ${nth}` })
    const late = open({ identity: 'late' })
    expect(late.kinds).toEqual(['leave'])
    expect((await late.next('leave')).action).toBe(LeaveAction.DISCONNECT)
    expect(late.closed).toBe(1000)
  })
})

describe('publishing', () => {
  test('is acknowledged, answered with the id of the offer, announced to others and then offered to them', async () => {
    const { open, plane } = signalFixture()
    const [ada, bob] = [open({ identity: 'ada' }), open({ identity: 'bob' })]
    await accept(bob)
    bob.skip()
    announce(ada, MICROPHONE, { name: 'my microphone' })
    const { cid, track } = await ada.next('trackPublished')
    expect({ cid, ...track }).toMatchObject({ cid: 'microphone', type: TrackType.AUDIO, name: 'my microphone' })
    expect(track?.disableRed).toBe(true)
    offer(ada, [MICROPHONE], scriptedPeer(), 7)
    const answer = await ada.next('answer')
    expect(answer.id).toBe(7)
    expect(answer.sdp).toMatch(/a=setup:passive/)

    const sid = track?.sid ?? ''
    const [{ participants }, offered] = [await bob.next('update'), await accept(bob)]
    expect(participants[0]).toMatchObject({ identity: 'ada', tracks: [{ sid, muted: false, mimeType: 'audio/opus' }] })
    expect(Object.values(offered.midToTrackId)).toEqual([sid])
    expect(offered.sdp).toContain(`a=msid:${participants[0]?.sid}|${sid} ${sid}`)
    expect((await ada.next('trackSubscribed')).trackSid).toBe(sid)
    expect(plane.subscriptions).toMatchObject([{ isStarted: true }])
  })

  test('works when the offer arrives before the announcement', async () => {
    const { open } = signalFixture()
    const [ada, bob] = [open({ identity: 'ada' }), open({ identity: 'bob' })]
    await accept(bob)
    offer(ada, [MICROPHONE])
    await ada.next('answer')
    announce(ada, MICROPHONE)
    await ada.next('trackPublished')
    expect(Object.values((await accept(bob)).midToTrackId)).toHaveLength(1)
  })

  test('is refused immediately without permission, and nothing is forwarded', async () => {
    const { open, plane } = signalFixture()
    const ada = open({ identity: 'ada', canPublish: false })
    expect((await ada.next('join')).fastPublish).toBe(false)
    announce(ada, MICROPHONE)
    const refused = await ada.next('requestResponse')
    expect(refused.reason).toBe(Reason.NOT_ALLOWED)
    expect(refused.request.case).toBe('addTrack')
    offer(ada, [MICROPHONE])
    await ada.next('answer')
    expect(plane.tracks).toEqual([])
  })

  test('ends when the permission is withdrawn, and may begin again when it is given back', async () => {
    const { open, plane, ask } = signalFixture()
    const [ada, bob] = [open({ identity: 'ada' }), open({ identity: 'bob' })]
    await accept(bob)
    const sid = await publish(ada, MICROPHONE)
    await accept(bob)
    ada.skip()
    bob.skip()
    ask('permit', { roomId: 'room', identity: 'ada', canPublish: false })
    expect(plane.tracks[0]).toMatchObject({ isClosed: true })
    expect(ada.kinds.slice(-2)).toEqual(['trackUnpublished', 'update'])
    expect((await ada.next('trackUnpublished')).trackSid).toBe(sid)
    expect((await ada.next('update')).participants[0]?.permission?.canPublish).toBe(false)
    expect((await bob.next('update')).participants[0]?.tracks).toEqual([])
    expect((await accept(bob)).midToTrackId).toEqual({})
    announce(ada, MICROPHONE)
    expect((await ada.next('requestResponse')).reason).toBe(Reason.NOT_ALLOWED)

    ask('permit', { roomId: 'room', identity: 'ada', canPublish: true })
    expect((await ada.next('update')).participants[0]?.permission?.canPublish).toBe(true)
  })

  test('ends when an offer no longer contains the track', async () => {
    const { open, plane } = signalFixture()
    const [ada, bob] = [open({ identity: 'ada' }), open({ identity: 'bob' })]
    await accept(bob)
    const peer = scriptedPeer()
    for (const track of [MICROPHONE, CAMERA]) announce(ada, track)
    offer(ada, [MICROPHONE, CAMERA], peer)
    expect(Object.keys((await accept(bob)).midToTrackId)).toHaveLength(2)
    offer(ada, [MICROPHONE, { ...CAMERA, direction: 'inactive' }], peer, 2)
    const { sdp, midToTrackId } = await accept(bob)
    expect(Object.keys(midToTrackId)).toHaveLength(1)
    expect(sdp).toContain('a=inactive')
    expect(plane.tracks).toMatchObject([{ isClosed: false }, { isClosed: true }])
  })

  test('of more than eight tracks is refused', async () => {
    const { open } = signalFixture()
    const ada = open({ identity: 'ada' })
    for (let nth = 0; nth < 9; nth += 1) announce(ada, { ...MICROPHONE, cid: `track ${nth}` })
    expect((await ada.next('requestResponse')).reason).toBe(Reason.LIMIT_EXCEEDED)
    expect(ada.kinds.filter((kind) => kind === 'trackPublished')).toHaveLength(8)
  })

  test('of a track that would take too much room in every update is refused', async () => {
    const { open } = signalFixture()
    const ada = open({ identity: 'ada' })
    announce(ada, MICROPHONE, { name: 'a'.repeat(200_000) })
    expect((await ada.next('requestResponse')).reason).toBe(Reason.LIMIT_EXCEEDED)
    announce(ada, CAMERA, { layers: Array.from({ length: 1000 }, () => new VideoLayer({ width: 640, height: 360 })) })
    expect((await ada.next('requestResponse')).reason).toBe(Reason.LIMIT_EXCEEDED)
  })

  test('with another certificate, or after the connection has ended, starts over', async () => {
    const { open } = signalFixture()
    const ada = open({ identity: 'ada' })
    offer(ada, [], scriptedPeer(), 1)
    offer(ada, [], scriptedPeer(), 2)
    const { action } = await ada.next('leave')
    expect(action).toBe(LeaveAction.RECONNECT)
    expect(ada.closed).toBe(1000)
  })
})

describe('a track', () => {
  test('is silent for everyone while its publisher has muted it', async () => {
    const { open, plane } = signalFixture()
    const [ada, bob] = [open({ identity: 'ada' }), open({ identity: 'bob' })]
    const sid = await publish(ada, MICROPHONE)
    bob.skip()
    ada.request({ case: 'mute', value: new MuteTrackRequest({ sid, muted: true }) })
    expect((await bob.next('update')).participants[0]?.tracks).toMatchObject([{ sid, muted: true }])
    expect(plane.tracks[0]?.isMuted).toBe(true)
    bob.request({ case: 'mute', value: new MuteTrackRequest({ sid, muted: false }) })
    expect(plane.tracks[0]?.isMuted).toBe(true)
    ada.request({ case: 'mute', value: new MuteTrackRequest({ sid, muted: false }) })
    expect((await bob.next('update')).participants[0]?.tracks).toMatchObject([{ sid, muted: false }])
    expect(plane.tracks[0]?.isMuted).toBe(false)
  })

  test('that exists already is offered to those who join later', async () => {
    const { open } = signalFixture()
    const ada = open({ identity: 'ada' })
    const sid = await publish(ada, MICROPHONE)
    const bob = open({ identity: 'bob' })
    expect((await bob.next('join')).otherParticipants[0]?.tracks).toMatchObject([{ sid }])
    expect(Object.values((await accept(bob)).midToTrackId)).toEqual([sid])
  })

  test('is offered to selective clients only when they ask, and not to those who may not subscribe', async () => {
    const { open } = signalFixture()
    const ada = open({ identity: 'ada' })
    const sid = await publish(ada, MICROPHONE)
    const bob = open({ identity: 'bob' }, { autoSubscribe: false })
    const eve = open({ identity: 'eve', canSubscribe: false })
    for (const client of [bob, eve]) {
      expect((await accept(client)).midToTrackId).toEqual({})
      client.request({ case: 'subscription', value: new UpdateSubscription({ trackSids: [sid], subscribe: true }) })
    }
    expect(Object.values((await accept(bob)).midToTrackId)).toEqual([sid])
    bob.request({ case: 'subscription', value: new UpdateSubscription({ trackSids: [sid], subscribe: false }) })
    expect((await accept(bob)).midToTrackId).toEqual({})
    expect(eve.kinds.filter((kind) => kind === 'offer')).toHaveLength(1)
    bob.request({ case: 'subscription', value: new UpdateSubscription({ trackSids: ['TR_none'], subscribe: true }) })
    expect((await bob.next('subscriptionResponse')).trackSid).toBe('TR_none')
  })

  test('can be paused by a viewer', async () => {
    const { open, plane } = signalFixture()
    const [ada, bob] = [open({ identity: 'ada' }), open({ identity: 'bob' })]
    const sid = await publish(ada, CAMERA)
    bob.request({ case: 'trackSetting', value: new UpdateTrackSettings({ trackSids: [sid], disabled: true }) })
    expect(plane.subscriptions[0]?.isPaused).toBe(true)
    bob.request({ case: 'trackSetting', value: new UpdateTrackSettings({ trackSids: [sid], width: 640, height: 480 }) })
    expect(plane.subscriptions[0]?.isPaused).toBe(false)
  })
})

describe('offers to a viewer', () => {
  test('wait for the answer to the one before, and then contain all changes', async () => {
    const { open } = signalFixture()
    const [ada, bob] = [open({ identity: 'ada' }), open({ identity: 'bob' })]
    await publish(ada, MICROPHONE, CAMERA)
    const eve = open({ identity: 'eve' })
    await publish(eve, MICROPHONE)
    expect(bob.kinds.filter((kind) => kind === 'offer')).toHaveLength(1)
    const first = await accept(bob)
    expect(first.midToTrackId).toEqual({})
    const second = await accept(bob)
    expect(second.id).toBe(2)
    expect(Object.keys(second.midToTrackId)).toHaveLength(3)
  })

  test('ignore the answer to an older one', async () => {
    const { open, plane } = signalFixture()
    const bob = open({ identity: 'bob' })
    const { sdp } = await bob.next('offer')
    const answer = answerTo(sdp, scriptedPeer())
    bob.request({ case: 'answer', value: new SessionDescription({ type: 'answer', sdp: answer, id: 99 }) })
    expect(plane.transports[0]?.expected).toBeUndefined()
    bob.request({ case: 'answer', value: new SessionDescription({ type: 'answer', sdp: answer, id: 1 }) })
    expect(plane.transports[0]?.expected).toBeDefined()
  })

  test.each([
    ['is no session description', () => 'hello'],
    ['wants to be the server', (sdp: string) => sdp.replaceAll('a=setup:active', 'a=setup:passive')],
  ])('end the connection when the answer %s', async (_name, spoil) => {
    const { open } = signalFixture()
    const bob = open({ identity: 'bob' })
    const { sdp, id } = await bob.next('offer')
    const answer = spoil(answerTo(sdp, scriptedPeer()))
    bob.request({ case: 'answer', value: new SessionDescription({ type: 'answer', sdp: answer, id }) })
    expect((await bob.next('leave')).action).toBe(LeaveAction.RECONNECT)
  })
})

describe('the portal', () => {
  test('learns immediately who begins and stops sending', async () => {
    const { open, ask, publishing } = signalFixture()
    const ada = open({ identity: 'ada' })
    const sid = await publish(ada, MICROPHONE)
    expect(publishing).toEqual([{ roomId: 'room', identity: 'ada', isLive: true }])
    expect(ask('connections')).toMatchObject([{ isLive: true }])
    ada.request({ case: 'mute', value: new MuteTrackRequest({ sid, muted: true }) })
    ada.request({ case: 'mute', value: new MuteTrackRequest({ sid, muted: false }) })
    ada.request({ case: 'leave', value: new LeaveRequest() })
    expect(publishing.map(({ isLive }) => isLive)).toEqual([true, false, true, false])
  })

  test('removes someone from a room', async () => {
    const { open, ask } = signalFixture()
    const [ada, bob] = [open({ identity: 'ada' }), open({ identity: 'bob' })]
    ask('remove', { roomId: 'room', identity: 'bob' })
    const leave = await bob.next('leave')
    expect(leave).toMatchObject({ reason: DisconnectReason.PARTICIPANT_REMOVED, action: LeaveAction.DISCONNECT })
    await ada.next('update', ({ participants }) => participants[0]?.state === State.DISCONNECTED)
    expect(ask('remove', { roomId: 'elsewhere', identity: 'bob' })).toBeNull()
    expect(ask('connections')).toHaveLength(1)
  })
})

describe('speakers and connection quality', () => {
  test('are sent when they change', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    try {
      const { open, plane } = signalFixture()
      const [ada, bob] = [open({ identity: 'ada' }), open({ identity: 'bob' })]
      await publish(ada, MICROPHONE)
      const [track] = plane.tracks
      if (!track) throw new Error('nothing was published')
      track.voice = 0.8
      vi.advanceTimersByTime(600)
      const { speakers } = await bob.next('speakersChanged')
      expect(speakers).toMatchObject([{ active: true }])
      track.voice = 0
      vi.advanceTimersByTime(1500)
      const stopped = await bob.next('speakersChanged', ({ speakers: [first] }) => first?.active === false)
      expect(stopped.speakers).toMatchObject([{ sid: speakers[0]?.sid, level: 0 }])
      const before = bob.kinds.length
      vi.advanceTimersByTime(1500)
      expect(bob.kinds.slice(before)).toEqual([])

      vi.advanceTimersByTime(5000)
      const { updates } = await bob.next('connectionQuality')
      expect(updates).toHaveLength(2)
      expect(updates.every(({ quality }) => quality !== ConnectionQuality.LOST)).toBe(true)
    } finally {
      vi.useRealTimers()
    }
  })
})

describe('a broken signalling connection', () => {
  test('resumes with new credentials, and learns what it missed', async () => {
    const { open, plane, lost } = signalFixture()
    const [ada, bob, eve] = [open({ identity: 'ada' }), open({ identity: 'bob' }), open({ identity: 'eve' })]
    const { participant } = await bob.next('join')
    await accept(bob)
    plane.transports[1]?.onState('connected')
    bob.drop()
    eve.request({ case: 'leave', value: new LeaveRequest() })
    const sid = await publish(ada, MICROPHONE)

    const again = open({ identity: 'bob' }, { resume: participant?.sid ?? '' })
    expect(again.kinds.slice(0, 2)).toEqual(['reconnect', 'update'])
    const { participants } = await again.next('update')
    const known = new Map(participants.map(({ identity, state }) => [identity, state]))
    expect(known.get('eve')).toBe(State.DISCONNECTED)
    expect(known.get('ada')).toBe(State.JOINED)
    expect(plane.transports[1]?.restarts).toBe(1)
    const offered = await again.next('offer')
    expect(offered.sdp).toContain('a=ice-ufrag:ours1x1')
    expect(Object.values(offered.midToTrackId)).toEqual([sid])
    expect(lost).toEqual(['eve'])
  })

  test('ends tracks that were withdrawn meanwhile', async () => {
    const { open, plane, ask } = signalFixture()
    const ada = open({ identity: 'ada' })
    const { participant } = await ada.next('join')
    plane.transports[0]?.onState('connected')
    const sid = await publish(ada, MICROPHONE)
    ada.drop()
    ask('permit', { roomId: 'room', identity: 'ada', canPublish: false })
    const again = open({ identity: 'ada' }, { resume: participant?.sid ?? '' })
    const publishTracks = [new TrackPublishedResponse({ cid: 'microphone', track: new TrackInfo({ sid }) })]
    again.request({ case: 'syncState', value: new SyncState({ publishTracks }) })
    expect((await again.next('trackUnpublished')).trackSid).toBe(sid)
  })

  test('restarts the publishing connection when the client does', async () => {
    const { open, plane } = signalFixture()
    const ada = open({ identity: 'ada' })
    const peer = scriptedPeer()
    announce(ada, MICROPHONE)
    offer(ada, [MICROPHONE], peer)
    const before = await ada.next('answer')
    offer(ada, [MICROPHONE], peer, 2)
    expect(plane.transports[1]?.restarts).toBe(0)
    peer.ufrag = 'anew'
    offer(ada, [MICROPHONE], peer, 3)
    expect(plane.transports[1]?.restarts).toBe(1)
    const after = await ada.next('answer', ({ id }) => id === 3)
    expect(after.sdp).not.toContain(/a=ice-ufrag:\w+/.exec(before.sdp)?.[0])
    expect(plane.tracks).toMatchObject([{ isClosed: false }])
  })

  test.each([
    ['of nobody', () => 'PA_nobody'],
    ['without media', (sid: string) => sid],
  ])('cannot resume a connection %s, and joins again', async (_name, resumed) => {
    const { open } = signalFixture()
    const ada = open({ identity: 'ada' })
    const { participant } = await ada.next('join')
    ada.drop()
    const again = open({ identity: 'ada' }, { resume: resumed(participant?.sid ?? '') })
    expect(again.kinds).toEqual(['leave'])
    expect((await again.next('leave')).action).toBe(LeaveAction.RECONNECT)
  })

  test('is forgotten after 30 seconds', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
    try {
      const { open, ask } = signalFixture()
      const ada = open({ identity: 'ada' })
      ada.drop()
      vi.advanceTimersByTime(25_000)
      expect(ask('connections')).toHaveLength(1)
      vi.advanceTimersByTime(10_000)
      expect(ask('connections')).toHaveLength(0)
    } finally {
      vi.useRealTimers()
    }
  })
})

describe('a client', () => {
  test('gets an answer to every ping', async () => {
    const { open } = signalFixture()
    const ada = open({ identity: 'ada' })
    ada.request({ case: 'ping', value: 5n })
    ada.request({ case: 'pingReq', value: new Ping({ timestamp: 42n }) })
    expect(Number(await ada.next('pong'))).toBeGreaterThan(0)
    expect((await ada.next('pongResp')).lastPingTimestamp).toBe(42n)
  })

  test('may send messages that are unknown here', async () => {
    const { open } = signalFixture()
    const ada = open({ identity: 'ada' })
    // Field 1000, with two bytes.
    ada.sendBytes(Uint8Array.from([0xc2, 0x3e, 2, 1, 1]))
    ada.sendBytes(new Uint8Array())
    ada.request({ case: 'pingReq', value: new Ping({ timestamp: 1n }) })
    await ada.next('pongResp')
    expect(ada.closed).toBeUndefined()
  })

  test('that names thousands of tracks in one message is heard for some of them', async () => {
    const { open } = signalFixture()
    const ada = open({ identity: 'ada' })
    const trackSids = Array.from({ length: 10_000 }, (_, nth) => `TR_${nth}`)
    ada.request({ case: 'subscription', value: new UpdateSubscription({ trackSids, subscribe: true }) })
    ada.request({ case: 'trackSetting', value: new UpdateTrackSettings({ trackSids }) })
    const publishTracks = trackSids.map((sid) => new TrackPublishedResponse({ track: new TrackInfo({ sid }) }))
    ada.request({ case: 'syncState', value: new SyncState({ publishTracks }) })
    await ada.next('trackUnpublished')
    expect(ada.kinds.length).toBeLessThan(600)
    expect(ada.closed).toBeUndefined()
  })

  test('is disconnected for malformed messages, and may come back', () => {
    const { open, errors } = signalFixture()
    const ada = open({ identity: 'ada' })
    ada.sendBytes(Uint8Array.from([0x0a, 0xff, 0xff]))
    expect(ada.closed).toBe(1007)
    expect(open({ identity: 'ada' }).kinds[0]).toBe('join')
    expect(errors).toEqual([])
  })

  test('that has fallen silent is disconnected', () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
    try {
      const { open } = signalFixture()
      const ada = open({ identity: 'ada' })
      vi.advanceTimersByTime(15_000)
      expect(ada.closed).toBeUndefined()
      vi.advanceTimersByTime(15_000)
      expect(ada.closed).toBe(1001)
    } finally {
      vi.useRealTimers()
    }
  })
})
