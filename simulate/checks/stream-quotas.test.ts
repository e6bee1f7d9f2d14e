import { describe, expect, test } from 'vitest'
import { bot, IN_ROOM, refused, sent, withChannel, type Answered, type WrittenHistory } from './history-fixture.ts'
import { checkStreamQuotas } from './stream-quotas.ts'

function begin(history: WrittenHistory, id: number, answer: Answered = sent(String(id))): WrittenHistory {
  return history.call(bot, 'startStream', { ...IN_ROOM, text: `hello zq00000${id}` }, answer)
}

describe('checkStreamQuotas', () => {
  const begun = (count: number) => {
    const history = withChannel().at(10_000)
    for (let id = 1; id <= count; id += 1) begin(history, id)
    return history
  }

  test('accepts three messages at once, and finds a fourth', () => {
    expect(begun(3).findings(checkStreamQuotas)).toEqual([])
    expect(begun(4).findings(checkStreamQuotas)).toEqual(['Anchor (startStream): a message while 3 others are written'])
    const finished = begun(3).call(bot, 'finish', { ...IN_ROOM, messageId: '1' }, { status: 200, body: { id: '1' } })
    expect(begin(finished, 4).findings(checkStreamQuotas)).toEqual([])
  })

  test('finds a refusal while fewer are written', () => {
    const tooMany = refused(422, 'Unprocessable Entity', { reason: 'too_many_streams' })
    expect(begin(begun(3), 4, tooMany).findings(checkStreamQuotas)).toEqual([])
    expect(begin(begun(2), 3, tooMany).findings(checkStreamQuotas)).toEqual([
      'Anchor (startStream): refused, while at most 2 messages are written',
    ])
  })

  const headers = { 'x-ratelimit-limit': '10', 'x-ratelimit-remaining': '0' }
  const appends = (count: number, every: number, last: Answered = { status: 200, body: { id: '1' } }) => {
    const history = begun(1)
    for (let made = 1; made <= count; made += 1) {
      const answer = made < count ? { status: 200, body: { id: '1' }, took: 5 } : { took: 5, ...last }
      history
        .at(20_000 + made * every)
        .call(bot, 'append', { ...IN_ROOM, messageId: '1', position: 0, text: 'a' }, answer)
    }
    return history.findings(checkStreamQuotas)
  }

  test('accepts ten appends in a second, and finds more', () => {
    expect(appends(10, 50)).toEqual([])
    expect(appends(30, 101)).toEqual([])
    expect(appends(11, 50)).toEqual(['Anchor (append): more than 10 times within a second'])
  })

  test('accepts a refusal of the eleventh, and finds others', () => {
    const tooMany = { ...refused(429, 'Too Many Requests', { retryAfterSec: 1 }), headers }
    expect(appends(11, 50, tooMany)).toEqual([])
    expect(appends(9, 50, tooMany)).toEqual(['Anchor (append): refused without need'])
  })
})
