import { describe, expect, test } from 'vitest'
import { hideSpoilers } from './hide-spoilers.ts'

describe('hideSpoilers', () => {
  test.each([
    ['It was ||the butler||, in ||the\nlibrary|| again', 'It was ▒▒▒ again'],
    ['It was ||the butler|| in ||the library||', 'It was ▒▒▒ in ▒▒▒'],
    ['a || b || c', 'a || b || c'],
    ['one ||bar', 'one ||bar'],
  ])('%j becomes %j', (text, shown) => {
    expect(hideSpoilers(text)).toBe(shown)
  })

  test.each([
    ['after bars in code', 'see `||` then ||secret|| end'],
    ['after escaped bars', String.raw`\||x||secret|| end`],
    ['after bars in another paragraph', 'one ||bar\n\nand x||secret|| end'],
    ['after bars in another entry of a list', '- one ||bar\n- and x||secret|| end'],
    ['between three bars', '|||secret||| end'],
    ['next to another one', '||x||||secret|| end'],
  ])('hides a spoiler %s', (_where, text) => {
    expect(hideSpoilers(text)).not.toContain('secret')
    expect(hideSpoilers(text)).toContain(' end')
  })

  test('hides a spoiler whose end was cut off', () => {
    const cut = { atEnd: true }
    expect(hideSpoilers('It was ||the but', cut)).toBe('It was ▒▒▒')
    expect(hideSpoilers('It was ||the butler|', cut)).toBe('It was ▒▒▒')
    expect(hideSpoilers('||It|| was ||the but', cut)).toBe('▒▒▒ was ▒▒▒')
    expect(hideSpoilers('It was ||the butler|| or not', cut)).toBe('It was ▒▒▒ or not')
  })

  // If every pair of bars searched the rest of the text, this would take hours.
  test('ends soon for a million pairs of bars, closed or not', () => {
    const bars = '||a '.repeat(1_000_000)
    expect(hideSpoilers(bars)).toBe(bars)
    for (const text of [bars, `${bars}b||`]) {
      expect(hideSpoilers(text, { atEnd: true })).not.toContain('a')
    }
  })
})
