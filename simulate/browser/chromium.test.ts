import { expect, test } from 'vitest'
import { endOf } from './chromium.ts'

test.each([
  [null, 'SIGSEGV', true],
  [null, 'SIGTRAP', true],
  [133, null, true],
  [null, 'SIGKILL', false],
  [null, 'SIGTERM', false],
  [0, null, false],
])('an end by code %s and signal %s is a crash: %s', (code, signal, isCrash) => {
  expect(endOf(code, signal).isCrash).toBe(isCrash)
})
