import { describe, expect, test } from 'vitest'
import { slicesOf, type Possible } from './orders.ts'

const distinct = (states: readonly string[]): string[] => [...new Set(states)]
const change = (name: string, from: number, to: number, isSure = true): Possible<string> => ({
  from,
  to,
  isSure,
  // As with everything that people change, doing it twice changes nothing more.
  apply: (state) => (state.includes(name) ? state : `${state}${name}`),
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

  test('follows many changes in the order in which they were sent, each of which may be the last one', () => {
    const set = (value: string, from: number, to: number, isSure = true) => ({ from, to, isSure, apply: () => value })
    const lost = Array.from({ length: 12 }, (_, position) => set('left', position, Infinity, false))
    expect(slices(...lost, set('joined', 20, 30)).at(-1)).toEqual([30, ['joined', 'left']])
    const answered = Array.from({ length: 12 }, (_, position) =>
      set(String(position), position * 10, position * 10 + 5),
    )
    expect(slices(...answered).at(-1)).toEqual([115, ['11']])
  })

  test('follows what else changes while repetitions of a change are open', () => {
    const lost = Array.from({ length: 50 }, (_, position) => ({ ...change('a', position, 400, false), name: 'a' }))
    const others = [...'bcdefghijklmnop'].map((name, position) =>
      change(name, 100 + 10 * position, 105 + 10 * position),
    )
    const all = slices(...lost, ...others)
    expect(Math.max(...all.map(([, states]) => (states as string[]).length))).toBeLessThan(40)
    const [, last] = all.at(-1) ?? []
    const withoutA = (last as string[]).map((state) => state.replace('a', ''))
    expect(new Set(withoutA)).toEqual(new Set(['bcdefghijklmnop']))
  })

  test('stops following changes without an answer when they leave too much open', () => {
    const many = Array.from({ length: 40 }, (_, position) => change(`${position} `, position, 100, false))
    const [first, last] = slices(...many).map(([, states]) => (states as string[]).length)
    expect(Math.min(first ?? 0, last ?? 0)).toBeGreaterThan(300)
  })
})
