import { expect, test } from 'vitest'
import { SuggestionQuotas } from './suggestion-quotas.ts'

test('a bot is asked twenty times in any second, five times for one person, and answers twenty times', () => {
  let now = 5000
  const quotas = new SuggestionQuotas(() => now)
  const ask = (count: number, userId: string, botId = 'bot') =>
    Array.from({ length: count }, () => quotas.takeRequest(botId, userId)).filter(Boolean).length
  expect(ask(6, 'ada')).toBe(5)
  expect(['ben', 'cem', 'dan', 'eva'].map((userId) => ask(5, userId))).toEqual([5, 5, 5, 0])
  expect(ask(6, 'ada', 'other bot')).toBe(5)
  const answers = Array.from({ length: 21 }, () => quotas.takeAnswer('ours'))
  expect(answers).toEqual([...Array.from({ length: 20 }, (_, taken) => 19 - taken), undefined])
  expect(quotas.takeAnswer('theirs')).toBe(19)
  now += 1000
  expect([ask(1, 'ada'), quotas.takeAnswer('ours')]).toEqual([1, 19])
})
