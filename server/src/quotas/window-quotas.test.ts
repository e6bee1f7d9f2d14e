import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { silentLog } from '../../test/silent-log.ts'
import { WindowQuotas } from './window-quotas.ts'
import type { LoadedWindow, SavedWindow, WindowStore } from './window-store.ts'

const WINDOW = 60_000

/** A store in memory that survives a restart of the quotas. */
function storeAt(read: () => number) {
  const rows = new Map<string, SavedWindow & { readonly savedAt: number }>()
  let isComplete = true
  /** The result of the next save: it succeeds, fails, or succeeds but its answer is lost. */
  let outcome: 'done' | 'lost' | 'unanswered' = 'done'
  const store: WindowStore = {
    load: async () => {
      const loaded = { windows: [...rows.values()].map(aged), isComplete }
      isComplete = false
      return loaded
    },
    save: async (windows) => {
      if (outcome !== 'lost') for (const window of windows) rows.set(window.subject, { ...window, savedAt: read() })
      if (outcome !== 'done') throw new Error('the connection broke')
    },
    complete: async () => {
      isComplete = true
    },
  }
  const aged = ({ savedAt, ...window }: SavedWindow & { savedAt: number }): LoadedWindow => {
    return { ...window, age: read() - savedAt }
  }
  return { store, setOutcome: (next: typeof outcome) => void (outcome = next) }
}

async function quotasAt(clock: () => number, { store } = storeAt(clock)): Promise<WindowQuotas> {
  const quotas = new WindowQuotas({ store, lease: { isHeld: true, whenHeld: async () => true }, log: silentLog, clock })
  await quotas.start()
  return quotas
}

/** A clock that only the test moves, in milliseconds with a resolution of a microsecond. */
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
  test('a client that sends only while quota remains is never refused', async () => {
    await fc.assert(
      fc.asyncProperty(
        starts,
        fc.array(pauses, { maxLength: 200 }),
        fc.integer({ min: 1, max: 10 }),
        async (start, steps, limit) => {
          const clock = clockAt(start)
          const quotas = await quotasAt(clock.read)
          let remaining = limit
          for (const pause of steps) {
            clock.pass(pause)
            // The value of the last response header is a lower bound: places only become free with time.
            if (remaining === 0) clock.pass(WINDOW + 1)
            expect(await quotas.take('app', limit)).toHaveProperty('giveBack')
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
          const quotas = await quotasAt(clock.read)
          for (const pause of steps) {
            clock.pass(pause)
            const taken = await quotas.take('app', limit)
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
            expect(await quotas.take('app', limit)).toHaveProperty('giveBack')
          }
        },
      ),
    )
  })

  test('never accepts more than the limit of a subject in any 60 seconds', async () => {
    const subjects = fc.constantFrom('one', 'two', 'three')
    const requests = fc.array(fc.tuple(subjects, pauses), { maxLength: 300 })
    await fc.assert(
      fc.asyncProperty(starts, requests, fc.integer({ min: 1, max: 8 }), async (start, steps, limit) => {
        const clock = clockAt(start)
        const quotas = await quotasAt(clock.read)
        const accepted = new Map<string, number[]>()
        for (const [subject, pause] of steps) {
          clock.pass(pause)
          const before = quotas.remaining(subject, limit)
          const taken = await quotas.take(subject, limit)
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
    const quotas = await quotasAt(() => 0)
    const taken = await quotas.take('app', 2)
    await quotas.take('app', 2)
    expect(quotas.remaining('app', 2)).toBe(0)
    if (!('giveBack' in taken)) throw new Error('refused')
    taken.giveBack()
    expect(quotas.remaining('app', 2)).toBe(1)
  })

  test('forgets inactive subjects', async () => {
    const clock = clockAt(0)
    const quotas = await quotasAt(clock.read)
    for (let n = 0; n < 1000; n += 1) await quotas.take(`app ${n}`, 60)
    clock.pass(2 * WINDOW)
    await quotas.take('another app', 60)
    for (let n = 0; n < 1000; n += 1) expect(quotas.remaining(`app ${n}`, 60)).toBe(60)
  })

  test('never accepts more than the limit in any 60 seconds, even when processes stop, crash and lose the store', async () => {
    const step = (ends: readonly ('go on' | 'save' | 'stop' | 'crash')[]) =>
      fc.record({
        pause: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 3000 }), pauses),
        requests: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 30 })),
        outcome: fc.constantFrom('done', 'done', 'lost', 'unanswered'),
        end: fc.constantFrom(...ends),
      })
    const steps = fc.oneof(
      fc.array(step(['go on', 'go on', 'save', 'stop', 'crash']), { maxLength: 60 }),
      fc.array(step(['crash', 'crash', 'stop', 'save']), { maxLength: 60 }),
      fc.array(step(['go on', 'go on', 'save', 'save', 'crash']), { maxLength: 60 }),
    )
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 1, max: 60 }), async (taken, limit) => {
        const clock = clockAt(0)
        const memory = storeAt(clock.read)
        let quotas = await quotasAt(clock.read, memory)
        const accepted: number[] = []
        for (const { pause, requests, outcome, end } of taken) {
          clock.pass(pause)
          memory.setOutcome(outcome)
          const answers = await Promise.allSettled(
            Array.from({ length: requests }, async () => quotas.take('app', limit)),
          )
          for (const { status, ...rest } of answers) {
            if (status === 'fulfilled' && 'value' in rest && 'giveBack' in rest.value) accepted.push(clock.read())
          }
          if (end === 'save') await quotas.save().catch(() => undefined)
          memory.setOutcome('done')
          if (end === 'stop') await quotas.stop()
          if (end === 'stop' || end === 'crash') quotas = await quotasAt(clock.read, memory)
        }
        for (const [index, time] of accepted.entries()) {
          const earlier = accepted[index - limit]
          if (earlier !== undefined) expect(Math.round((time - earlier) * 1000)).toBeGreaterThanOrEqual(WINDOW * 1000)
        }
      }),
      { numRuns: 1000 },
    )
  })

  test('a process that stops hands over the remaining quota, exact to the second', async () => {
    const clock = clockAt(0)
    const memory = storeAt(clock.read)
    const before = await quotasAt(clock.read, memory)
    for (let n = 0; n < 20; n += 1) await before.take('app', 60)
    clock.pass(30_000)
    for (let n = 0; n < 20; n += 1) await before.take('app', 60)
    await before.stop()
    clock.pass(10_000)
    const after = await quotasAt(clock.read, memory)
    expect(after.remaining('app', 60)).toBe(20)
    clock.pass(21_000)
    expect(after.remaining('app', 60)).toBe(40)
  })

  test('a crash blocks no one for longer than a window, and an inactive application not at all', async () => {
    const clock = clockAt(0)
    const memory = storeAt(clock.read)
    const before = await quotasAt(clock.read, memory)
    for (let n = 0; n < 60; n += 1) await before.take('busy', 60)
    const after = await quotasAt(clock.read, memory)
    expect(after.remaining('busy', 60)).toBe(0)
    expect(after.remaining('silent', 60)).toBe(50)
    expect(await after.take('silent', 60)).toHaveProperty('giveBack')
    clock.pass(WINDOW + 1)
    expect(after.remaining('busy', 60)).toBe(60)
  })

  test('does not wait for the store when an application sends at a steady rate', async () => {
    const clock = clockAt(0)
    const stored = storeAt(clock.read)
    const quotas = await quotasAt(clock.read, stored)
    for (let second = 0; second < 120; second += 1) {
      const save = vi.spyOn(stored.store, 'save')
      await quotas.take('app', 60)
      expect(save).not.toHaveBeenCalled()
      save.mockRestore()
      await quotas.save()
      clock.pass(1001)
    }
  })
})
