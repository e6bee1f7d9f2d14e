import {
  ConnectionQuality,
  DisconnectReason,
  LeaveRequest,
  LeaveRequest_Action as LeaveAction,
  MuteTrackRequest,
  ParticipantInfo_State as State,
  StreamState,
} from '@livekit/protocol'
import { describe, expect, test, vi } from 'vitest'
import { signalFixture } from '../../test/signal-fixture.ts'
import { accept, CAMERA, MICROPHONE, publish } from '../../test/signal-script.ts'

describe('the portal', () => {
  test('learns immediately who begins and stops sending', async () => {
    const { open, call, publishing } = signalFixture()
    const ada = open({ identity: 'ada' })
    const sid = await publish(ada, MICROPHONE)
    expect(publishing).toEqual([{ roomId: 'room', identity: 'ada', isLive: true }])
    expect(call('connections')).toMatchObject([{ isLive: true }])
    ada.request({ case: 'mute', value: new MuteTrackRequest({ sid, muted: true }) })
    ada.request({ case: 'mute', value: new MuteTrackRequest({ sid, muted: false }) })
    ada.request({ case: 'leave', value: new LeaveRequest() })
    expect(publishing.map(({ isLive }) => isLive)).toEqual([true, false, true, false])
  })

  test('removes someone from a room', async () => {
    const { open, call } = signalFixture()
    const [ada, bob] = [open({ identity: 'ada' }), open({ identity: 'bob' })]
    call('remove', { roomId: 'room', identity: 'bob' })
    const leave = await bob.next('leave')
    expect(leave).toMatchObject({ reason: DisconnectReason.PARTICIPANT_REMOVED, action: LeaveAction.DISCONNECT })
    await ada.next('update', ({ participants }) => participants[0]?.state === State.DISCONNECTED)
    expect(call('remove', { roomId: 'elsewhere', identity: 'bob' })).toBeNull()
    expect(call('connections')).toHaveLength(1)
  })
})

describe('a camera', () => {
  test('is paused while no viewer shows it, once its client knows it, and resumes when one does', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    try {
      const { open, plane } = signalFixture()
      const ada = open({ identity: 'ada' })
      const sid = await publish(ada, CAMERA, MICROPHONE)
      const [camera, microphone] = plane.tracks
      if (!camera || !microphone) throw new Error('nothing was published')
      const requests = () => ada.received.flatMap((each) => (each.case === 'subscribedQualityUpdate' ? each.value : []))
      const enabled = () =>
        requests()
          .at(-1)
          ?.subscribedCodecs[0]?.qualities.map((quality) => quality.enabled)
      plane.changeDemand(camera, 0)
      plane.changeDemand(camera, -1)
      plane.changeDemand(microphone, 0)
      vi.advanceTimersByTime(5000)
      expect(requests()).toEqual([])
      vi.advanceTimersByTime(5000)
      expect(enabled()).toEqual([false, false, false])
      expect(requests().map(({ trackSid }) => trackSid)).toEqual([sid])

      // Its only layer, which some clients call the highest.
      plane.changeDemand(camera, 0)
      expect(enabled()).toEqual([true, true, true])
      plane.changeDemand(camera, -1)
      expect(requests()).toHaveLength(2)
      // Again and again, because signaling may have been broken.
      vi.advanceTimersByTime(10_000)
      expect(requests()).toHaveLength(4)
      expect(enabled()).toEqual([false, false, false])
      Object.assign(camera.section, { rids: ['q', 'h', 'f'] })
      plane.changeDemand(camera, 1)
      expect(enabled()).toEqual([true, true, false])
    } finally {
      vi.useRealTimers()
    }
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

describe('a picture that a viewer’s network is too slow for', () => {
  test('is reported as paused, once and only to that viewer, until it fits again', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    try {
      const { open, plane } = signalFixture()
      const [ada, bob] = [open({ identity: 'ada' }), open({ identity: 'bob' })]
      const { participant: owner } = await ada.next('join')
      const { participant } = await bob.next('join')
      const sid = await publish(ada, CAMERA)
      await accept(bob)
      for (const transport of plane.transports) transport.onState('connected')
      const [subscription] = plane.subscriptions
      if (!subscription) throw new Error('nothing is subscribed')
      const states = (client = bob) =>
        client.received.flatMap((each) => (each.case === 'streamStateUpdate' ? each.value.streamStates : []))
      const PAUSED = { participantSid: owner?.sid, trackSid: sid, state: StreamState.PAUSED }

      // Not for a moment.
      subscription.isStarved = true
      vi.advanceTimersByTime(600)
      subscription.isStarved = false
      vi.advanceTimersByTime(3000)
      expect(states()).toEqual([])

      subscription.isStarved = true
      vi.advanceTimersByTime(10_000)
      expect(states()).toMatchObject([PAUSED])
      expect(states(ada)).toEqual([])
      const qualities = bob.received.flatMap((each) => (each.case === 'connectionQuality' ? each.value.updates : []))
      expect(qualities.findLast(({ participantSid }) => participantSid === participant?.sid)?.quality).toBe(
        ConnectionQuality.POOR,
      )

      // What was sent while the signaling was broken may be lost.
      bob.drop()
      subscription.isStarved = false
      vi.advanceTimersByTime(3000)
      const again = open({ identity: 'bob' }, { resume: participant?.sid ?? '' })
      vi.advanceTimersByTime(300)
      expect(states(again)).toMatchObject([PAUSED])
      vi.advanceTimersByTime(1500)
      expect(states(again)).toMatchObject([PAUSED, { ...PAUSED, state: StreamState.ACTIVE }])
    } finally {
      vi.useRealTimers()
    }
  })
})
