import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { WindowQuotas } from './window-quotas.ts'

const WINDOW = 60_000

/** A clock that the test moves, in milliseconds with a fraction of microseconds, as the real one. */
function clockAt(start: number) {
  let microseconds = Math.round(start * 1000)
  return {
    read: () => microseconds / 1000,
    pass: (milliseconds: number) => void (microseconds += Math.round(milliseconds * 1000)),
  }
}

const starts = fc.double({ min: 0, max: 1e10, noNaN: true })
const fractions = fc.double({ min: 0, max: 90_000, noNaN: true })
const pauses = fc.oneof(fc.constant(0), fc.double({ min: 0, max: 50, noNaN: true }), fractions)

describe('WindowQuotas', () => {
  test('a client that sends only while something remains never meets a refusal', async () => {
    await fc.assert(
      fc.asyncProperty(
        starts,
        fc.array(pauses, { maxLength: 200 }),
        fc.integer({ min: 1, max: 10 }),
        async (start, steps, limit) => {
          const clock = clockAt(start)
          const quotas = new WindowQuotas(clock.read)
          let remaining = limit
          for (const pause of steps) {
            clock.pass(pause)
            // What the header of the last answer told, which time can only have made better.
            if (remaining === 0) clock.pass(WINDOW + 1)
            expect(quotas.take('app', limit)).toHaveProperty('giveBack')
            remaining = quotas.remaining('app', limit)
          }
        },
      ),
    )
  })

  test('waiting retryAfterSec always succeeds; it is whole, at least 1, and never a second too long', async () => {
    await fc.assert(
      fc.asyncProperty(
        starts,
        fc.array(pauses, { maxLength: 100 }),
        fc.integer({ min: 1, max: 5 }),
        async (start, steps, limit) => {
          const clock = clockAt(start)
          const quotas = new WindowQuotas(clock.read)
          for (const pause of steps) {
            clock.pass(pause)
            const taken = quotas.take('app', limit)
            if (!('retryAfterSec' in taken)) continue
            const { retryAfterSec } = taken
            expect(Number.isInteger(retryAfterSec)).toBe(true)
            expect(retryAfterSec).toBeGreaterThanOrEqual(1)
            expect(retryAfterSec).toBeLessThanOrEqual(60)
            if (retryAfterSec > 1) {
              clock.pass((retryAfterSec - 1) * 1000 - 1)
              expect(quotas.remaining('app', limit)).toBe(0)
              clock.pass(1001)
            } else clock.pass(1000)
            expect(quotas.take('app', limit)).toHaveProperty('giveBack')
          }
        },
      ),
    )
  })

  test('never more than the limit in any 60 seconds, of each subject for itself', async () => {
    const subjects = fc.constantFrom('one', 'two', 'three')
    const requests = fc.array(fc.tuple(subjects, pauses), { maxLength: 300 })
    await fc.assert(
      fc.asyncProperty(starts, requests, fc.integer({ min: 1, max: 8 }), async (start, steps, limit) => {
        const clock = clockAt(start)
        const quotas = new WindowQuotas(clock.read)
        const accepted = new Map<string, number[]>()
        for (const [subject, pause] of steps) {
          clock.pass(pause)
          const before = quotas.remaining(subject, limit)
          const taken = quotas.take(subject, limit)
          expect('giveBack' in taken).toBe(before > 0)
          if ('giveBack' in taken) accepted.set(subject, [...(accepted.get(subject) ?? []), clock.read()])
        }
        for (const times of accepted.values()) {
          for (const [index, time] of times.entries()) {
            const earlier = times[index - limit]
            if (earlier !== undefined) expect(Math.round((time - earlier) * 1000)).toBeGreaterThanOrEqual(WINDOW * 1000)
          }
        }
      }),
    )
  })

  test('a place that is given back is free', async () => {
    const quotas = new WindowQuotas(() => 0)
    const taken = quotas.take('app', 2)
    quotas.take('app', 2)
    expect(quotas.remaining('app', 2)).toBe(0)
    if (!('giveBack' in taken)) throw new Error('refused')
    taken.giveBack()
    expect(quotas.remaining('app', 2)).toBe(1)
  })

  test('forgets subjects that fell silent', async () => {
    const clock = clockAt(0)
    const quotas = new WindowQuotas(clock.read)
    for (let n = 0; n < 1000; n += 1) quotas.take(`app ${n}`, 60)
    clock.pass(2 * WINDOW)
    quotas.take('somebody', 60)
    for (let n = 0; n < 1000; n += 1) expect(quotas.remaining(`app ${n}`, 60)).toBe(60)
  })
})
