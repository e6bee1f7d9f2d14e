import { expect, test } from 'vitest'
import { isExpected } from './watch-page.ts'

test.each([
  [200, 'GET', false, true],
  [403, 'GET', false, true],
  [400, 'POST', false, true],
  [400, 'GET', false, false],
  [500, 'GET', true, false],
  [503, 'GET', false, false],
  [503, 'GET', true, true],
  [429, 'POST', true, true],
])('the answer %i to %s is judged by whether requests may fail (%s): %s', (status, method, mayFail, expected) => {
  expect(isExpected(status, method, mayFail)).toBe(expected)
})
