import type { ProbeResult } from './probes.ts'

/** The first probe tries this, in bits per second. */
const FIRST = 3_000_000
/** How much more than estimated a probe tries; at least as much as makes enough packets for a result. */
const STEP = 3
const LEAST = 1_000_000
/** A little more than wanted, because a probe shows a little less than it tries. */
const MARGIN = 1.2
/** Milliseconds between probes: they become rarer while they show nothing new. */
const [SHORTEST, LONGEST] = [1500, 4500]
const AFTER_SUCCESS = 100
/** The share of what was tried that makes it worth trying more at once, and of the estimate that is news. */
const [SUCCESS, NEWS] = [0.7, 1.1]
/** Milliseconds of queue beyond which the link has enough to do. */
const BUSY = 100

export interface ProbeOccasion {
  /** Bits per second, as all of the following. */
  readonly estimate: number
  readonly wanted: number
  readonly isOverused: boolean
  readonly queueingDelay: number
}

/** When to try whether the link carries more, and how much. */
export class ProbePlan {
  #interval = SHORTEST
  #dueAt = -Infinity
  #isFirst = true

  /** The bit rate to try now, or null. */
  next({ estimate, wanted, isOverused, queueingDelay }: ProbeOccasion, now: number): number | null {
    if (wanted === 0 || now < this.#dueAt) return null
    const isFirst = this.#isFirst
    if (!isFirst && (wanted <= estimate || isOverused || queueingDelay > BUSY)) return null
    this.#isFirst = false
    this.#dueAt = now + this.#interval
    return isFirst ? FIRST : Math.max(LEAST, Math.min(estimate * STEP, wanted * MARGIN))
  }

  /** `before` is what was estimated when it began. */
  onResult({ tried, bitrate }: ProbeResult, before: number, now: number): void {
    const isNews = bitrate !== null && bitrate > before * NEWS
    this.#interval = isNews ? SHORTEST : Math.min(LONGEST, this.#interval * 1.5)
    this.#dueAt = now + (isNews && bitrate >= tried * SUCCESS ? AFTER_SUCCESS : this.#interval)
  }

  /** The estimate was lowered. */
  postpone(now: number): void {
    this.#interval = SHORTEST
    this.#dueAt = Math.max(this.#dueAt, now + SHORTEST)
  }
}
