import { describe, expect, test } from 'vitest'
import type { Exchange } from './exchanges.ts'
import { effectsOf, possibleValues, type Write } from './writes.ts'

let calls = 0
const write = (value: string, from: number, to: number, isSure = true): Write<string> => ({
  exchange: { call: (calls += 1) } as unknown as Exchange,
  value,
  from,
  to,
  isSure,
})

describe('possibleValues', () => {
  test('is the last acknowledged value', () => {
    expect(possibleValues([write('a', 1, 2), write('b', 3, 4)], '')).toEqual(new Set(['b']))
  })

  test('is either value of writes at the same time', () => {
    expect(possibleValues([write('a', 1, 4), write('b', 3, 5)], '')).toEqual(new Set(['a', 'b']))
  })

  test('is perhaps the value of an unanswered write, also after a later one', () => {
    expect(possibleValues([write('a', 1, 9, false)], '')).toEqual(new Set(['', 'a']))
    expect(possibleValues([write('a', 1, 9, false), write('b', 3, 4)], '')).toEqual(new Set(['a', 'b']))
    expect(possibleValues([write('a', 1, 2, false), write('b', 3, 4)], '')).toEqual(new Set(['b']))
  })
})

describe('effectsOf', () => {
  const effects = (...writes: readonly Write<string>[]) => [...effectsOf(writes, '').values()]

  test('tells changes from repetitions', () => {
    expect(effects(write('a', 1, 2), write('a', 3, 4), write('b', 5, 6))).toEqual(['changed', 'unchanged', 'changed'])
  })

  test('is unsure of writes at the same time, and of the first one after an unanswered one', () => {
    expect(effects(write('a', 1, 4), write('b', 3, 5), write('c', 6, 7), write('c', 8, 9))).toEqual([
      'unsure',
      'unsure',
      'unsure',
      'unchanged',
    ])
    expect(effects(write('a', 1, 2, false), write('a', 3, 4))).toEqual(['unsure', 'unsure'])
  })
})
