import { LeaveRequest, MuteTrackRequest, RequestResponse_Reason as Reason } from '@livekit/protocol'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { ScriptedTrack } from '../../test/scripted-sdp.ts'
import type { SignalClient } from '../../test/signal-client.ts'
import { signalFixture } from '../../test/signal-fixture.ts'
import { accept, announce, MICROPHONE, publish } from '../../test/signal-script.ts'

/** As many as one participant may publish. */
const tracksOf = (kind: ScriptedTrack['kind']): ScriptedTrack[] =>
  Array.from({ length: 8 }, (_, index) => ({ cid: `${kind}-${index}`, kind, ssrc: 100 + index }))

const leave = (client: SignalClient): void => client.request({ case: 'leave', value: new LeaveRequest() })

/** Accepts offers until one has this many tracks, and returns their sids. */
async function acceptUntil(viewer: SignalClient, tracks: number): Promise<string[]> {
  for (;;) {
    const sids = Object.values((await accept(viewer)).midToTrackId)
    if (sids.length === tracks) return sids
  }
}

describe('a room', () => {
  test('takes no more tracks than one viewer can receive', async () => {
    const { open } = signalFixture()
    const viewer = open({ identity: 'viewer' })
    const members = Array.from({ length: 25 }, (_, index) => open({ identity: `person ${index}` }))
    for (const person of members) await publish(person, ...tracksOf('audio'))
    await acceptUntil(viewer, 200)
    const late = open({ identity: 'late' })
    announce(late, MICROPHONE)
    expect((await late.next('requestResponse')).reason).toBe(Reason.LIMIT_EXCEEDED)
    leave(members[0]!)
    const sid = await publish(late, MICROPHONE)
    expect(await acceptUntil(viewer, 193)).toContain(sid)
    expect(viewer.kinds).not.toContain('leave')
  })

  test('lets tracks wait that a viewer has no section for', async () => {
    const { open } = signalFixture()
    const viewer = open({ identity: 'viewer' })
    const enter = async (kind: ScriptedTrack['kind']): Promise<SignalClient[]> => {
      const members = Array.from({ length: 17 }, (_, index) => open({ identity: `${kind} ${index}` }))
      for (const person of members) await publish(person, ...tracksOf(kind))
      return members
    }
    const speakers = await enter('audio')
    await acceptUntil(viewer, 136)
    for (const speaker of speakers) leave(speaker)
    await acceptUntil(viewer, 0)
    const cameras = await enter('video')
    const first = await acceptUntil(viewer, 114)
    leave(cameras[0]!)
    await acceptUntil(viewer, 106)
    const second = await acceptUntil(viewer, 114)
    expect(second.filter((sid) => !first.includes(sid))).toHaveLength(8)
    expect(viewer.kinds).not.toContain('leave')
  })

  test('collects the changes of someone who makes many, and sends the last state', async () => {
    // The allowance grows with time.
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const { open, publishing } = signalFixture()
    const [ada, bob] = [open({ identity: 'ada' }), open({ identity: 'bob' })]
    const sid = await publish(ada, MICROPHONE)
    bob.skip()
    const before = bob.kinds.length
    for (let index = 0; index < 51; index += 1) {
      ada.request({ case: 'mute', value: new MuteTrackRequest({ sid, muted: index % 2 === 0 }) })
    }
    const updates = (): number => bob.kinds.slice(before).filter((kind) => kind === 'update').length
    const immediately = updates()
    expect(immediately).toBeLessThanOrEqual(10)
    for (let index = 0; index < immediately; index += 1) await bob.next('update')
    expect((await bob.next('update')).participants[0]?.tracks).toMatchObject([{ sid, muted: true }])
    expect(updates()).toBe(immediately + 1)
    expect(publishing.length).toBeLessThanOrEqual(12)
    expect(publishing.at(-1)).toMatchObject({ isLive: false })
  })
})
