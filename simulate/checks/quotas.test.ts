import { describe, expect, test } from 'vitest'
import { bot, IN_ROOM, refused, sent, withChannel, type WrittenHistory } from './history-fixture.ts'
import { checkQuotas } from './quotas.ts'

const headers = (remaining: number, limit = 60) => ({
  'x-ratelimit-limit': String(limit),
  'x-ratelimit-remaining': String(remaining),
})

/** Requests whose headers say what is left, one every `every` milliseconds. */
function requests(count: number, every: number, history: WrittenHistory = withChannel()): WrittenHistory {
  for (let made = 0; made < count; made += 1) {
    history
      .at(10_000 + made * every)
      .call(bot, 'getProfile', {}, { status: 200, body: {}, headers: headers(Math.max(0, 59 - made)) })
  }
  return history
}

describe('checkQuotas', () => {
  test('accepts 60 requests in a minute, and finds one more', () => {
    expect(requests(60, 900).findings(checkQuotas)).toEqual([])
    expect(requests(61, 900).findings(checkQuotas)).toContain(
      'more than 60 requests of Anchor were accepted within a minute',
    )
    expect(
      requests(61, 1001)
        .findings(checkQuotas)
        .filter((what) => what.startsWith('more')),
    ).toEqual([])
  })

  test('finds more writes than 20 in a minute', () => {
    const history = withChannel()
    for (let made = 0; made < 21; made += 1) {
      const answer = { ...sent(String(made)), headers: headers(Math.max(0, 19 - made), 20) }
      history.at(10_000 + made * 100).call(bot, 'send', { ...IN_ROOM, text: 'hello' }, answer)
    }
    expect(history.findings(checkQuotas)).toContain('more than 20 writes of Anchor were accepted within a minute')
  })

  test('counts a repeated request with the same key once', () => {
    const history = withChannel()
    for (let made = 0; made < 30; made += 1) {
      const answer = { ...sent('1'), headers: headers(19, 20), idempotencyKey: 'key' }
      history.at(10_000 + made * 100).call(bot, 'send', { ...IN_ROOM, text: 'hello' }, answer)
    }
    expect(history.findings(checkQuotas).filter((what) => what.startsWith('more'))).toEqual([])
  })

  test('allows that requests age by a clock that was set', () => {
    const again = (history: WrittenHistory) => {
      const answer = { status: 200, body: {}, headers: headers(59) }
      return requests(1, 1000, history).at(66_000).call(bot, 'getProfile', {}, answer).findings(checkQuotas)
    }
    const jump = { kind: 'fault', fault: 'jump-clock', hit: 'portico', what: 'begins', clockOffset: 5000 } as const
    expect(again(withChannel())).toEqual(['Anchor (getProfile): 59 remaining, but at most 58 are left'])
    expect(again(withChannel().add(jump))).toEqual([])
  })

  test('finds headers that promise more or less than is left', () => {
    const second = (remaining: number, limit?: number) => {
      const answer = { status: 200, body: {}, headers: headers(remaining, limit) }
      return requests(1, 1000).at(12_000).call(bot, 'getProfile', {}, answer).findings(checkQuotas)
    }
    expect(second(58)).toEqual([])
    expect(second(59)).toEqual(['Anchor (getProfile): 59 remaining, but at most 58 are left'])
    expect(second(50)).toEqual(['Anchor (getProfile): 50 remaining, but at least 58 are left'])
    expect(second(58, 100)).toEqual(['Anchor (getProfile): a limit of 100'])
    const without = requests(1, 1000).at(12_000).call(bot, 'getProfile', {}, { status: 200, body: {}, headers: {} })
    expect(without.findings(checkQuotas)).toEqual(['Anchor (getProfile): an answer without quota headers'])
  })

  test('accepts that a refused write shows what is left of the requests if its writes can’t be read', () => {
    const refusedWrite = (faults: boolean): string[] => {
      const history = withChannel().at(10_000)
      for (let made = 0; made < 20; made += 1) {
        history.call(bot, 'send', { ...IN_ROOM, text: 'hello' }, { ...sent('1'), headers: headers(19 - made, 20) })
      }
      history.at(69_500)
      if (faults) history.add({ kind: 'fault', fault: 'delay-postgres', what: 'begins' })
      const at = { ...IN_ROOM, text: 'hello', replyToId: '7' }
      return history
        .call(bot, 'send', at, { ...refused(422, 'Unprocessable Entity'), headers: headers(39) })
        .findings(checkQuotas)
    }
    expect(refusedWrite(true)).toEqual([])
    expect(refusedWrite(false)).toEqual(['Anchor (send): 39 remaining, but at most 0 are left'])
  })

  test('follows limits that an administrator sets', () => {
    const limits = { applicationId: 'application', requests: 3, writes: 1 }
    const history = withChannel()
      .call(bot, 'setLimits', limits, { status: 200, body: {}, headers: headers(59) })
      .at(90_000)
    for (const remaining of [2, 1, 0])
      history.call(bot, 'getProfile', {}, { status: 200, body: {}, headers: headers(remaining, 3) })
    expect(history.findings(checkQuotas)).toEqual([])
  })

  test('finds a refusal without need, and a pause that is too short', () => {
    const tooMany = (retryAfterSec: number) => ({
      ...refused(429, 'Too Many Requests', { retryAfterSec }),
      headers: { ...headers(0), 'retry-after': String(retryAfterSec) },
    })
    const early = requests(1, 1000).at(12_000).call(bot, 'getProfile', {}, tooMany(5))
    expect(early.findings(checkQuotas)).toEqual(['Anchor (getProfile): 0 remaining, but at least 59 are left'])
    const full = () => requests(60, 100).at(17_000).call(bot, 'getProfile', {}, tooMany(54))
    expect(full().findings(checkQuotas)).toEqual([])
    const hasty = requests(60, 100).at(17_000).call(bot, 'getProfile', {}, tooMany(10))
    expect(hasty.findings(checkQuotas)).toEqual(['Anchor (getProfile): a pause of 10 seconds is too short'])
    const refusedAgain = full().at(72_000).call(bot, 'getProfile', {}, tooMany(1))
    expect(refusedAgain.findings(checkQuotas)).toContain('429 after a pause of 54 seconds')
    const crashed = full().add({ kind: 'fault', fault: 'kill-portico', what: 'begins' })
    crashed.add({ kind: 'fault', fault: 'kill-portico', what: 'ends' })
    crashed.at(72_000).call(bot, 'getProfile', {}, tooMany(1))
    expect(crashed.findings(checkQuotas)).not.toContain('429 after a pause of 54 seconds')
  })
})
