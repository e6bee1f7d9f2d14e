import { expect, test } from 'vitest'
import { findToken } from './find-token.ts'

/** The bar marks the caret. */
function at(text: string): string | undefined {
  const caret = text.indexOf('|')
  const token = findToken(text.replace('|', ''), caret)
  return token && `${token.kind} ${token.from} ${token.typed}`
}

test.each([
  ['/|', 'command 0 '],
  ['/dep|', 'command 0 dep'],
  ['/dep|loy now', 'command 0 dep'],
  ['/deploy |', undefined],
  ['run /deploy|', undefined],
  ['@|', 'member 0 '],
  ['hello @ada|', 'member 6 ada'],
  ['@Ada N|', 'member 0 Ada N'],
  ['@Ada |', undefined],
  ['hello @Ada | there', undefined],
  ['@Ada Novak |', undefined],
  ['mail ada@example|', undefined],
  ['(@ada|', 'member 1 ada'],
  ['«@Да|', 'member 1 Да'],
  ['see #gen|', 'room 4 gen'],
  ['c#|', undefined],
  [':th|', 'emoji 0 th'],
  [':t|', undefined],
  ['at 12:30|', undefined],
  ['nothing |here', undefined],
])('%j is %j', (text, token) => {
  expect(at(text)).toBe(token)
})
