import { expect } from 'vitest'

/** For what comes about by itself, sooner or later: only the test's own deadline makes it too late. */
export function eventually<T>(look: () => T) {
  return expect.poll(() => look(), { timeout: 280_000, interval: 50 })
}
