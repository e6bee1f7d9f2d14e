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

  test('takes no longer for bars that nothing ends, or all end with the same ones', () => {
    for (const text of ['||a '.repeat(100_000), `${'||a '.repeat(100_000)}b||`]) {
      const started = performance.now()
      for (const atEnd of [true, false]) hideSpoilers(text, { atEnd })
      expect(performance.now() - started).toBeLessThan(5000)
    }
  })
})
