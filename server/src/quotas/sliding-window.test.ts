import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SlidingWindow } from './sliding-window.ts'

const LENGTH = 60_000

/** A naive implementation of the rule: accept if fewer than `limit` were accepted within the window. */
class Naive {
  readonly accepted: number[] = []

  within(now: number): number {
    return this.accepted.filter((time) => time > now - LENGTH).length
  }

  take(now: number, limit: number): boolean {
    if (this.within(now) >= limit) return false
    this.accepted.push(now)
    return true
  }

  giveBack(time: number): void {
    this.accepted.splice(this.accepted.lastIndexOf(time), 1)
  }
}

const pauses = fc.oneof(
  fc.constant(0),
  fc.integer({ min: 0, max: 5 }),
  fc.integer({ min: 0, max: 2000 }),
  fc.integer({ min: 0, max: 2 * LENGTH }),
  fc.constantFrom(LENGTH - 1, LENGTH, LENGTH + 1),
)
const step = fc.record({ pause: pauses, limit: fc.integer({ min: 1, max: 6 }), giveBack: fc.boolean() })

describe('SlidingWindow', () => {
  test('accepts and counts exactly like a log of times, even when places are given back', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const window = new SlidingWindow(LENGTH)
        const naive = new Naive()
        let now = 0
        for (const { pause, limit, giveBack } of steps) {
          now += pause
          expect(window.count(now)).toBe(naive.within(now))
          const accepted = window.take(now, limit) === 0
          expect(accepted).toBe(naive.take(now, limit))
          if (accepted && giveBack) {
            window.giveBack(now)
            naive.giveBack(now)
          }
          expect(window.count(now)).toBe(naive.within(now))
        }
      }),
    )
  })

  test('never accepts more than the limit within any 60 seconds', () => {
    fc.assert(
      fc.property(fc.array(pauses, { maxLength: 400 }), fc.integer({ min: 1, max: 20 }), (steps, limit) => {
        const window = new SlidingWindow(LENGTH)
        const accepted: number[] = []
        let now = 0
        for (const pause of steps) {
          now += pause
          if (window.take(now, limit) === 0) accepted.push(now)
        }
        for (const [index, time] of accepted.entries()) {
          const earlier = accepted[index - limit]
          if (earlier !== undefined) expect(time - earlier).toBeGreaterThanOrEqual(LENGTH)
        }
      }),
    )
  })

  test('returns the shortest wait: it succeeds then, and not a millisecond earlier', () => {
    fc.assert(
      fc.property(fc.array(pauses, { maxLength: 100 }), fc.integer({ min: 1, max: 5 }), (steps, limit) => {
        const window = new SlidingWindow(LENGTH)
        let now = 0
        for (const pause of steps) {
          now += pause
          const wait = window.take(now, limit)
          if (wait === 0) continue
          expect(wait).toBeGreaterThan(0)
          expect(wait).toBeLessThanOrEqual(LENGTH)
          expect(window.count(now + wait - 1)).toBeGreaterThanOrEqual(limit)
          expect(window.take((now += wait), limit)).toBe(0)
        }
      }),
    )
  })

  test('a lowered limit waits until enough have left the window', () => {
    const window = new SlidingWindow(LENGTH)
    for (let now = 0; now < 10; now += 1) expect(window.take(now, 10)).toBe(0)
    expect(window.take(10, 3)).toBe(7 + LENGTH - 10)
    expect(window.take(7 + LENGTH - 1, 3)).toBe(1)
    expect(window.take(7 + LENGTH, 3)).toBe(0)
  })

  test('predicts how many leave the window in each second', () => {
    fc.assert(
      fc.property(fc.array(pauses, { maxLength: 100 }), fc.integer({ min: 1, max: 20 }), (steps, limit) => {
        const window = new SlidingWindow(LENGTH)
        let now = 0
        for (const pause of steps) window.take((now += pause), limit)
        const freeing = window.freeing(now, 1000)
        expect(freeing).toHaveLength(LENGTH / 1000)
        for (let second = 0; second <= freeing.length; second += 1) {
          const left = freeing.slice(second).reduce((sum, places) => sum + places, 0)
          expect(window.count(now + second * 1000)).toBe(left)
        }
      }),
    )
  })

  test('drops requests that have left the window', () => {
    const window = new SlidingWindow(LENGTH)
    for (let now = 0; now < 1_000_000; now += 10) window.take(now, 1_000_000)
    expect(window.count(1_000_000)).toBe(LENGTH / 10 - 1)
    expect(window.count(1_000_000 + LENGTH)).toBe(0)
  })
})
