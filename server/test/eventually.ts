import { expect } from 'vitest'

/** Polls until the expectation holds, up to the test's own timeout. */
export function eventually<T>(look: () => T) {
  return expect.poll(() => look(), { timeout: 280_000, interval: 50 })
}
