import type { Frames } from './in-page.ts'
import { growthPer100, type Reading } from './memory.ts'

export interface Figure {
  readonly what: string
  readonly value: number
  readonly unit: string
  /** The upper limit. */
  readonly aim?: number
  readonly met?: boolean
}

type Aims = Partial<Record<'median' | 'p95', number>>

export function tell({ what, value, unit, aim, met }: Figure): void {
  const judged = aim === undefined ? '' : ` (aim: at most ${aim}, ${met ? 'met' : 'MISSED'})`
  console.log(`${what}: ${value} ${unit}${judged}`)
}

export function figuresOfTimes(what: string, times: readonly number[], aims: Aims = {}): Figure[] {
  return [
    figure(`${what}, median`, quantile(times, 0.5), 'ms', aims.median),
    figure(`${what}, p95`, quantile(times, 0.95), 'ms', aims.p95),
  ]
}

export function figuresOfFrames(what: string, { times, longestTask }: Frames, aims: Aims = {}): Figure[] {
  return [...figuresOfTimes(what, times, aims), figure(`${what}, longest task`, longestTask, 'ms')]
}

/** Readings of a heap differ by some KiB when nothing has changed. */
const NOISE_KIB = 32

export function figuresOfMemory(readings: readonly Reading[]): Figure[] {
  const [first, last] = [readings[0], readings.at(-1)]
  if (!first || !last) throw new Error('nothing was read')
  const growth = (of: 'heapKiB' | 'nodes' | 'listeners'): number => growthPer100(readings, of)
  return [
    figure('memory at the start', first.heapKiB, 'KiB'),
    figure(`memory after ${last.steps - first.steps} steps`, last.heapKiB, 'KiB'),
    figure('growth for 100 steps in the second half', growth('heapKiB'), 'KiB', NOISE_KIB),
    figure('nodes for 100 steps in the second half', growth('nodes'), 'nodes', 1),
    figure('listeners for 100 steps in the second half', growth('listeners'), 'listeners', 1),
  ]
}

function figure(what: string, exact: number, unit: string, aim?: number): Figure {
  const value = Number(exact.toFixed(1))
  return { what, value, unit, ...(aim !== undefined && { aim, met: value <= aim }) }
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN
}
