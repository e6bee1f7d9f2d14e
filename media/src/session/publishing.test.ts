import {
  LeaveRequest_Action as LeaveAction,
  RequestResponse_Reason as Reason,
  TrackSource,
  TrackType,
  VideoLayer,
} from '@livekit/protocol'
import { describe, expect, test } from 'vitest'
import { scriptedPeer } from '../../test/scripted-sdp.ts'
import { signalFixture } from '../../test/signal-fixture.ts'
import { accept, announce, CAMERA, MICROPHONE, offer, publish } from '../../test/signal-script.ts'

describe('publishing', () => {
  test('is acknowledged, answered with the id of the offer, announced to others and then offered to them', async () => {
    const { open, plane } = signalFixture()
    const [ada, bob] = [open({ identity: 'ada' }), open({ identity: 'bob' })]
    await accept(bob)
    bob.skip()
    announce(ada, MICROPHONE, { name: 'my microphone' })
    const { cid, track } = await ada.next('trackPublished')
    expect({ cid, ...track }).toMatchObject({ cid: 'microphone', type: TrackType.AUDIO, name: 'my microphone' })
    expect(track?.disableRed).toBe(false)
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

  test('works when the offer names a track that was replaced since, as Firefox does', async () => {
    const { open, plane } = signalFixture()
    const [ada, bob] = [open({ identity: 'ada' }), open({ identity: 'bob' })]
    await accept(bob)
    const peer = scriptedPeer()
    announce(ada, { ...MICROPHONE, cid: 'replacement' })
    announce(ada, CAMERA)
    offer(ada, [MICROPHONE, CAMERA], peer)
    expect(Object.values((await accept(bob)).midToTrackId)).toHaveLength(2)
    offer(ada, [MICROPHONE, CAMERA], peer, 2)
    await ada.next('answer', ({ id }) => id === 2)
    expect(plane.tracks).toMatchObject([{ isClosed: false }, { isClosed: false }])
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
    const { open, plane, call } = signalFixture()
    const [ada, bob] = [open({ identity: 'ada' }), open({ identity: 'bob' })]
    await accept(bob)
    const sid = await publish(ada, MICROPHONE)
    await accept(bob)
    ada.skip()
    bob.skip()
    call('permit', { roomId: 'room', identity: 'ada', canPublish: false })
    expect(plane.tracks[0]).toMatchObject({ isClosed: true })
    expect(ada.kinds.slice(-2)).toEqual(['trackUnpublished', 'update'])
    expect((await ada.next('trackUnpublished')).trackSid).toBe(sid)
    expect((await ada.next('update')).participants[0]?.permission?.canPublish).toBe(false)
    expect((await bob.next('update')).participants[0]?.tracks).toEqual([])
    expect((await accept(bob)).midToTrackId).toEqual({})
    announce(ada, MICROPHONE)
    expect((await ada.next('requestResponse')).reason).toBe(Reason.NOT_ALLOWED)

    call('permit', { roomId: 'room', identity: 'ada', canPublish: true })
    expect((await ada.next('update')).participants[0]?.permission?.canPublish).toBe(true)
  })

  test('begins with the section of the new track, not with one whose track has ended', async () => {
    const { open, plane, call } = signalFixture()
    const ada = open({ identity: 'ada' })
    const peer = scriptedPeer()
    announce(ada, MICROPHONE)
    offer(ada, [MICROPHONE], peer)
    await ada.next('answer')
    for (const canPublish of [false, true]) call('permit', { roomId: 'room', identity: 'ada', canPublish })
    const next = { ...MICROPHONE, cid: 'another', ssrc: 33 }
    announce(ada, next)
    expect(plane.tracks).toHaveLength(1)
    offer(ada, [MICROPHONE, next], peer, 2)
    await ada.next('answer', ({ id }) => id === 2)
    expect(plane.tracks.map(({ section: { mid } }) => mid)).toEqual(['1', '2'])
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

  test('of an id that is in use waits for a section of its own', async () => {
    const { open, plane } = signalFixture()
    const [ada, bob] = [open({ identity: 'ada' }), open({ identity: 'bob' })]
    await accept(bob)
    const peer = scriptedPeer()
    announce(ada, MICROPHONE)
    offer(ada, [MICROPHONE], peer)
    const first = await ada.next('trackPublished')
    expect(Object.values((await accept(bob)).midToTrackId)).toEqual([first.track?.sid])
    announce(ada, MICROPHONE)
    const second = await ada.next('trackPublished')
    expect(plane.tracks).toMatchObject([{ isClosed: false }])
    offer(ada, [{ ...MICROPHONE, direction: 'inactive' }, MICROPHONE], peer, 2)
    expect(plane.tracks).toMatchObject([{ isClosed: true }, { isClosed: false }])
    expect(Object.values((await accept(bob)).midToTrackId)).toEqual([second.track?.sid])
  })

  test.each([
    ['a camera that is sound', { type: TrackType.AUDIO, source: TrackSource.CAMERA }],
    ['a microphone that is a picture', { type: TrackType.VIDEO, source: TrackSource.MICROPHONE }],
    ['data', { type: TrackType.DATA, source: TrackSource.UNKNOWN }],
  ])('%s is refused', async (_name, more) => {
    const { open } = signalFixture()
    const ada = open({ identity: 'ada' })
    announce(ada, MICROPHONE, more)
    expect((await ada.next('requestResponse')).reason).toBe(Reason.UNSUPPORTED_TYPE)
  })

  test('sends nothing of a section that is of another kind than was announced', async () => {
    const { open, plane } = signalFixture()
    const ada = open({ identity: 'ada' })
    announce(ada, MICROPHONE)
    offer(ada, [{ ...CAMERA, cid: MICROPHONE.cid }])
    await ada.next('answer')
    expect(plane.tracks).toEqual([])
  })

  test('of more than eight tracks is refused', async () => {
    const { open } = signalFixture()
    const ada = open({ identity: 'ada' })
    for (let index = 0; index < 9; index += 1) announce(ada, { ...MICROPHONE, cid: `track ${index}` })
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

  test('begins the handshake with a client that waits for it, also after later offers that leave it open', async () => {
    const { open, plane } = signalFixture()
    const ada = open({ identity: 'ada' })
    const peer = scriptedPeer()
    offer(ada, [MICROPHONE], { ...peer, setup: 'passive' })
    expect((await ada.next('answer')).sdp).toMatch(/a=setup:active/)
    offer(ada, [MICROPHONE], peer, 2)
    expect((await ada.next('answer')).sdp).toMatch(/a=setup:active/)
    expect(plane.transports.map(({ role }) => role)).toContain('client')
  })
})
