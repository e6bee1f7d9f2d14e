import { describe, expect, test } from 'vitest'
import type { Circumstance, Exchange } from './exchanges.ts'
import { Faults } from './fault-spans.ts'

const head = (mode: 'single' | 'cluster'): Circumstance => {
  return { kind: 'head', at: 0, seed: 'by hand', mode, faults: [], minutes: 1, startedAt: '2026-01-01T00:00:00.000Z' }
}
const fault = (name: string, from: number, to: number): Circumstance[] => [
  { kind: 'fault', fault: name, what: 'begins', hit: 'it', at: from },
  { kind: 'fault', fault: name, what: 'ends', hit: 'it', at: to },
]
const busy = (from: number, to: number): Circumstance[] => [
  { kind: 'busy', what: 'begins', at: from },
  { kind: 'busy', what: 'ends', at: to },
]
/** A request of second 100 that got no answer. */
const lost = (more: Partial<Exchange> = {}): Exchange =>
  ({ at: 100_000, end: Infinity, status: undefined, ...more }) as Exchange
const latest = (entries: readonly Circumstance[], more?: Partial<Exchange>): number => {
  return new Faults(entries).latestEffect(lost(more)) / 1000
}

describe('latestEffect', () => {
  test('is the deadline, also if the program is killed', () => {
    expect(latest([head('single')])).toBe(115)
    expect(latest([head('single'), ...fault('kill-portico', 101_000, 400_000)])).toBe(115)
  })

  test('is later if something was suspended', () => {
    expect(latest([head('single'), ...fault('freeze-portico', 101_000, 130_000)])).toBe(145)
    expect(latest([head('cluster'), ...fault('hold-clients', 90_000, 120_000)])).toBe(135)
  })

  test('is minutes later on a busy machine, unless the program had read the request', () => {
    expect(latest([head('single'), ...busy(10_000, 900_000)])).toBe(295)
    expect(latest([head('single'), ...busy(10_000, 900_000)], { readBy: 112_000 })).toBe(127)
  })

  test('is when the program broke the connection, but not if the network or a proxy may have done that', () => {
    const broken = { brokenAt: 101_000 }
    expect(latest([head('single'), ...busy(10_000, 900_000)], broken)).toBe(106)
    expect(latest([head('single'), ...fault('cut-clients', 100_500, 100_600)], broken)).toBe(115)
    expect(latest([head('cluster')], broken)).toBe(115)
  })
})
