import { describe, expect, test } from 'vitest'
import { isReadableName, normalizeName } from './names.ts'

describe('normalizeName', () => {
  test.each([
    ['  Ada   Novak ', 'Ada Novak'],
    ['Ada\u00a0\u2003Novak', 'Ada Novak'],
    ['Zoe\u0308', 'Zo\u00eb'],
    ['\u0418\u0306\u043e\u0434', '\u0419\u043e\u0434'],
  ])('makes %j %j', (text, name) => {
    expect(normalizeName(text)).toBe(name)
  })
})

describe('isReadableName', () => {
  test.each([
    'Ada Novak',
    'Анна Новак',
    '李小龍',
    'محمد',
    'Zo\u00eb O’Neil-Smith',
    'Night watch 🧭',
    'Family 👨\u200d👩\u200d👧',
    'Heart ❤\ufe0f',
    'England 🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
  ])('accepts %j', (name) => {
    expect(isReadableName(name)).toBe(true)
  })

  test.each([
    ['a zero-width space', 'Ada\u200b'],
    ['a zero-width joiner between letters', 'A\u200dda'],
    ['a zero-width no-break space', '\ufeffAda'],
    ['a soft hyphen', 'A\u00adda'],
    ['a right-to-left override', '\u202eadA'],
    ['an isolate', '\u2066Ada\u2069'],
    ['a tab', 'Ada\tNovak'],
    ['a line feed', 'Ada\nNovak'],
    ['an escape', 'Ada\u001b[31m'],
    ['a line separator', 'Ada\u2028Novak'],
    ['a Hangul filler', '\u3164\u3164'],
    ['a Braille blank', '\u2800\u2800'],
    ['a private character', 'Ada\ue000'],
    ['an unassigned character', 'Ada\u0378'],
    ['a variation selector behind a letter', 'A\ufe0fda'],
  ])('refuses %s', (_, name) => {
    expect(isReadableName(name)).toBe(false)
  })
})
