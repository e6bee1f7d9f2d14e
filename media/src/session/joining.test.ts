import {
  DisconnectReason,
  LeaveRequest,
  LeaveRequest_Action as LeaveAction,
  ParticipantInfo_State as State,
  Ping,
} from '@livekit/protocol'
import { describe, expect, test } from 'vitest'
import { signalFixture } from '../../test/signal-fixture.ts'
import { accept } from '../../test/signal-script.ts'

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
    const { open, plane, call, connected, lost } = signalFixture()
    const ada = open({ identity: 'ada' })
    await accept(ada)
    expect(plane.transports[0]?.expected).toMatch(/^sha-256 /)
    expect(call('connections')).toEqual([
      { roomId: 'room', identity: 'ada', hasMedia: false, canPublish: true, isLive: false },
    ])
    plane.transports[0]?.onState('connected')
    expect((await ada.next('update')).participants).toMatchObject([{ state: State.ACTIVE }])
    expect(call('connections')).toMatchObject([{ hasMedia: true }])
    expect(connected).toEqual(['ada'])
    plane.transports[0]?.onState('closed')
    expect(call('connections')).toMatchObject([{ hasMedia: false }])
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
    for (let index = 0; index < 500; index += 1) open({ identity: `person ${index}` })
    const late = open({ identity: 'late' })
    expect(late.kinds).toEqual(['leave'])
    expect((await late.next('leave')).action).toBe(LeaveAction.DISCONNECT)
    expect(late.closed).toBe(1000)
  })
})
