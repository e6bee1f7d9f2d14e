import { expect, test } from 'vitest'
import { isLong } from './is-long.ts'

test.each([
  ['a sentence', 'Good morning', false, false],
  ['24 lines', 'line\n'.repeat(23) + 'line', false, false],
  ['25 lines', 'line\n'.repeat(24) + 'line', false, true],
  ['a paragraph that fits on a desktop', 'word '.repeat(300), false, false],
  ['the same paragraph on a phone', 'word '.repeat(300), true, true],
  ['the longest message in one paragraph', 'word '.repeat(800), false, true],
])('%s', (_, text, isNarrow, long) => {
  expect(isLong(text, isNarrow)).toBe(long)
})
