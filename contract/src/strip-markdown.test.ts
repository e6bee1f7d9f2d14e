import { expect, test } from 'vitest'
import { stripMarkdown } from './strip-markdown.ts'

test.each([
  ['Build **1.4.0** is _green_, ~~red~~', 'Build 1.4.0 is green, red'],
  ['# Plan\n\n- ship `it`\n> soon', 'Plan\n• ship it\nsoon'],
  ['See [the log](https://example.org/log) and ![a cat](https://example.org/cat.png)', 'See the log and a cat'],
  ['```ts\nconst answer = 42\n```', 'const answer = 42\n'],
  ['2 * 3 * 4 and snake_case_name stay', '2 * 3 * 4 and snake_case_name stay'],
  ['It was ||the *butler*||', 'It was ▒▒▒'],
  ['**bold *within* it**', 'bold within it'],
  ['[a](https://example.org/b_(c)) and [d](e', 'a and [d](e'],
  ['an open [bracket before [a link](https://example.org)', 'an open [bracket before a link'],
])('%j becomes %j', (text, plain) => {
  expect(stripMarkdown(text)).toBe(plain)
})

test('a quote ends where a spoiler was cut', () => {
  expect(stripMarkdown('**It** was ||the but', { atEnd: true })).toBe('It was ▒▒▒')
})

test.each(['[', '[](', '[]((', '![](()', '*a ', '_a', '||a', '`', '```\n', '\n> ', '<@'])(
  'a text of half a million characters that consists of %j is finished',
  (part) => {
    const text = part.repeat(500_000 / part.length)
    // With time that grows with the square of the length this takes more than ten minutes.
    expect(stripMarkdown(text).length).toBeLessThanOrEqual(text.length)
  },
)
