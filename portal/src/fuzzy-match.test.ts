import { expect, test } from 'vitest'
import { bestFits, fit } from './fuzzy-match.ts'

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
  expect(fit(name, typed)).toBe(rank)
})

test('everything answers nothing typed', () => {
  expect(bestFits(['b', 'a'], '', (name) => name)).toEqual(['b', 'a'])
})

test('the best come first and equals stay in order', () => {
  expect(bestFits(['design', 'sign-ups', 'sign', 'unsigned'], 'sign', (name) => name)).toEqual([
    'sign',
    'sign-ups',
    'design',
    'unsigned',
  ])
})
