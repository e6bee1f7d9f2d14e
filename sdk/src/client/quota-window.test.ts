import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SlidingWindow } from '../../../server/src/quotas/sliding-window.ts'
import { QuotaWindow } from './quota-window.ts'

const WINDOW = 60_000

/** Sends requests one after another as fast as the window allows, over a connection with these delays, to the portal's own quota. */
function simulate(limit: number, delays: readonly { there: number; back: number }[]) {
  const window = new QuotaWindow()
  const portal = new SlidingWindow(WINDOW)
  let now = 0
  let refused = 0
  for (const { there, back } of delays) {
    now += window.delay(now)
    window.begin()
    now += there
    if (portal.take(now, limit) > 0) refused += 1
    const remaining = limit - portal.count(now)
    now += back
    window.end(now)
    window.learn(limit, remaining)
  }
  return { refused, now }
}

describe('a quota window', () => {
  test('lets nothing through that the portal would refuse, over many windows', () => {
    const delay = fc.record({ there: fc.nat(2000), back: fc.nat(2000) })
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.array(delay, { minLength: 100, maxLength: 300 }),
        (limit, delays) => {
          expect(simulate(limit, delays).refused).toBe(0)
        },
      ),
    )
  })

  test('uses the quota: it waits only as long as it must', () => {
    const delays = Array.from({ length: 1000 }, () => ({ there: 5, back: 5 }))
    const { now } = simulate(100, delays)
    // Nine windows and the last hundred requests.
    expect(now).toBeLessThan(9 * (WINDOW + 1200) + 1000)
  })

  test('sends one request alone to learn the limit', () => {
    const window = new QuotaWindow()
    expect(window.delay(0)).toBe(0)
    window.begin()
    expect(window.delay(0)).toBe(Infinity)
    window.end(1)
    window.learn(3, 2)
    window.begin()
    expect(window.delay(1)).toBe(0)
    window.begin()
    expect(window.delay(1)).toBe(Infinity)
  })

  test('sends one at a time while others use up the quota', () => {
    const window = new QuotaWindow()
    window.begin()
    window.end(0)
    window.learn(60, 0)
    expect(window.delay(0)).toBe(0)
    window.begin()
    expect(window.delay(0)).toBe(Infinity)
  })

  test('waits after a 429 as long as the portal asks for', () => {
    const window = new QuotaWindow()
    window.begin()
    window.end(0, { counts: false })
    window.pause(7000)
    expect(window.delay(1000)).toBe(6000)
    expect(window.delay(7000)).toBe(0)
  })
})
