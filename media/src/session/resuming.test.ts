import {
  LeaveRequest,
  LeaveRequest_Action as LeaveAction,
  ParticipantInfo_State as State,
  SyncState,
  TrackInfo,
  TrackPublishedResponse,
} from '@livekit/protocol'
import { describe, expect, test, vi } from 'vitest'
import { scriptedPeer } from '../../test/scripted-sdp.ts'
import { signalFixture } from '../../test/signal-fixture.ts'
import { accept, announce, MICROPHONE, offer, publish } from '../../test/signal-script.ts'

describe('a broken signaling connection', () => {
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
    const { open, plane, call } = signalFixture()
    const ada = open({ identity: 'ada' })
    const { participant } = await ada.next('join')
    plane.transports[0]?.onState('connected')
    const sid = await publish(ada, MICROPHONE)
    ada.drop()
    call('permit', { roomId: 'room', identity: 'ada', canPublish: false })
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
      const { open, call } = signalFixture()
      const ada = open({ identity: 'ada' })
      ada.drop()
      vi.advanceTimersByTime(25_000)
      expect(call('connections')).toHaveLength(1)
      vi.advanceTimersByTime(10_000)
      expect(call('connections')).toHaveLength(0)
    } finally {
      vi.useRealTimers()
    }
  })
})
