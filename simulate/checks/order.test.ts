import { describe, expect, test } from 'vitest'
import { ada, ben, CHANNEL, IN_ROOM, readAtTheEnd, ROOM, sent, withChannel } from './history-fixture.ts'
import { checkEventOrder, checkOrder } from './order.ts'

describe('checkOrder', () => {
  const send = { ...IN_ROOM, text: 'hello' }

  test('finds ids that contradict acknowledgments', () => {
    const inOrder = withChannel().call(ben, 'send', send, sent('1')).call(ada, 'send', send, sent('2'))
    expect(inOrder.findings(checkOrder)).toEqual([])
    const reversed = withChannel().call(ben, 'send', send, sent('2')).call(ada, 'send', send, sent('1'))
    expect(reversed.findings(checkOrder)).toEqual(['message 1 was sent after 2 was acknowledged, and comes before it'])
  })

  test('finds times that contradict acknowledgments', () => {
    const older = { status: 201, body: { id: '2', createdAt: '2025-01-01T00:00:00.000Z' } }
    const history = withChannel().call(ben, 'send', send, sent('1')).call(ada, 'send', send, older)
    expect(history.findings(checkOrder)).toEqual(['message 2 was sent after 1 was acknowledged, and is older'])
  })

  test('finds a history in the wrong order', () => {
    const [first, second] = [
      { id: '1', text: 'a' },
      { id: '2', text: 'b' },
    ]
    expect(readAtTheEnd(withChannel(), second, first).findings(checkOrder)).toEqual([])
    expect(readAtTheEnd(withChannel(), first, second).findings(checkOrder)).toContain('message 2 is listed after 1')
  })
})

describe('checkEventOrder', () => {
  const message = (id: string) => ({ roomId: ROOM, message: { id, text: 'hello' } })
  const event = (id: string, timestamp = `2026-01-01T00:00:0${id}.000Z`) => {
    return { event: 'message.created', timestamp, channelId: CHANNEL, data: message(id) }
  }
  const stream = (receiver: string, ...arrived: readonly (readonly [id: string, offset: number])[]) => {
    return arrived.map(([id, offset]) => ({ kind: 'event' as const, receiver, offset, envelope: event(id) }))
  }
  const delivery = (id: string, name: string) => ({
    kind: 'delivery' as const,
    receiver: 'webhook',
    delivery: name,
    header: 'message.created',
    isSigned: true,
    envelope: event(id),
    answered: 204,
  })

  test('accepts one order at all receivers', () => {
    const history = withChannel()
    for (const one of [...stream('a', ['1', 1], ['2', 2]), ...stream('b', ['1', 1], ['2', 2])]) history.add(one)
    expect(history.add(delivery('1', 'x')).add(delivery('2', 'y')).findings(checkEventOrder)).toEqual([])
  })

  test('finds offsets that do not increase', () => {
    const history = withChannel()
    for (const one of stream('a', ['1', 2], ['2', 1])) history.add(one)
    expect(history.findings(checkEventOrder)).toContain('the offset 1 follows 2 at a')
  })

  test('finds messages out of order, and messages that arrive twice', () => {
    const reversed = withChannel()
    for (const one of stream('a', ['2', 1], ['1', 2])) reversed.add(one)
    expect(reversed.findings(checkEventOrder)).toContain('message 1 arrived after 2 at a')
    const twice = withChannel()
    for (const one of stream('a', ['1', 1], ['1', 2])) twice.add(one)
    expect(twice.findings(checkEventOrder)).toContain('message 1 arrived twice at a')
  })

  test('finds one event with two positions', () => {
    const history = withChannel()
    for (const one of [...stream('a', ['1', 1]), ...stream('b', ['1', 2])]) history.add(one)
    expect(history.findings(checkEventOrder)).toEqual(['one event has the offsets 1 and 2'])
  })

  test('allows that the same happens twice at one time of a clock that was set back', () => {
    const joined = (offset: number) => {
      const envelope = { ...event('1'), event: 'voice.member_joined', data: { roomId: ROOM, user: { id: 'ada' } } }
      return { kind: 'event' as const, receiver: 'a', offset, envelope }
    }
    const twice = withChannel().add(joined(1)).add(joined(2))
    expect(twice.findings(checkEventOrder)).toEqual(['one event has the offsets 1 and 2'])
    const jump = { kind: 'fault', fault: 'jump-clock', hit: 'portico', what: 'begins', clockOffset: -60_000 } as const
    const setBack = withChannel().add(jump).add(joined(1)).add(joined(2))
    expect(setBack.findings(checkEventOrder)).toEqual([])
  })

  test('finds first deliveries out of order, and one event as two deliveries', () => {
    expect(withChannel().add(delivery('2', 'x')).add(delivery('1', 'y')).findings(checkEventOrder)).toEqual([
      'message 1 arrived after 2 at webhook',
    ])
    const repeated = withChannel().add(delivery('1', 'x')).add(delivery('2', 'y'))
    expect(repeated.add(delivery('1', 'x')).findings(checkEventOrder)).toEqual([])
    expect(withChannel().add(delivery('1', 'x')).add(delivery('1', 'y')).findings(checkEventOrder)).toContain(
      'webhook got one event as two deliveries',
    )
  })
})
