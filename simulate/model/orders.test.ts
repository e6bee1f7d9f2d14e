import { describe, expect, test } from 'vitest'
import { slicesOf, type Possible } from './orders.ts'

const distinct = (states: readonly string[]): string[] => [...new Set(states)]
const change = (name: string, from: number, to: number, isSure = true): Possible<string> => ({
  from,
  to,
  isSure,
  apply: (state) => `${state}${name}`,
})
const slices = (...changes: readonly Possible<string>[]) => {
  return slicesOf([''], changes, distinct).map(({ from, states }) => [from, states.toSorted()])
}

describe('slicesOf', () => {
  test('is before or after a change while it is under way', () => {
    expect(slices(change('a', 1, 2))).toEqual([
      [1, ['', 'a']],
      [2, ['a']],
    ])
  })

  test('takes every order of changes that overlap', () => {
    expect(slices(change('a', 1, 3), change('b', 2, 4))).toEqual([
      [1, ['', 'a']],
      [2, ['', 'a', 'ab', 'b', 'ba']],
      [3, ['a', 'ab', 'ba']],
      [4, ['ab', 'ba']],
    ])
  })

  test('leaves open whether a change without an answer happened', () => {
    expect(slices(change('a', 1, 5, false), change('b', 2, 3)).at(-1)).toEqual([5, ['ab', 'b', 'ba']])
  })

  test('follows many changes at once in the order in which they were sent', () => {
    const many = Array.from({ length: 12 }, (_, position) => change(String(position % 10), position, 100))
    expect(slices(...many).at(-1)).toEqual([100, ['012345678901']])
  })
})
