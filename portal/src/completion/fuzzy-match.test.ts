import { expect, test } from 'vitest'
import { bestMatches, matchRank } from './fuzzy-match.ts'

test.each([
  ['general', 'General', 0],
  ['general', 'gen', 1],
  ['Ada Novak', 'nov', 2],
  ['stand-up', 'up', 2],
  ['announcements', 'noun', 3],
  ['announcements', 'ancm', 4],
  ['Алёна', 'алена', 0],
  ['general', 'x', undefined],
])('%j answers %j at %j', (name, typed, rank) => {
  expect(matchRank(name, typed)).toBe(rank)
})

test('everything matches an empty search', () => {
  expect(bestMatches(['b', 'a'], '', (name) => name)).toEqual(['b', 'a'])
})

test('the best matches come first, and equal ones keep their order', () => {
  expect(bestMatches(['design', 'sign-ups', 'sign', 'unsigned'], 'sign', (name) => name)).toEqual([
    'sign',
    'sign-ups',
    'design',
    'unsigned',
  ])
})
