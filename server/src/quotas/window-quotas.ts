import { LIMITS } from '@portico/contract'
import type { Quotas, Taken } from './quotas.ts'
import { SlidingWindow } from './sliding-window.ts'

const SECOND = 1_000_000
const LENGTH = LIMITS.quotaWindow * SECOND

/** Quotas counted in this process. */
export class WindowQuotas implements Quotas {
  readonly #windows = new Map<string, SlidingWindow>()
  readonly #milliseconds: () => number
  #swept: number

  /** The clock is one that never jumps: a corrected wall clock must not free or block anybody. */
  constructor(milliseconds: () => number = () => performance.now()) {
    this.#milliseconds = milliseconds
    this.#swept = this.#now()
  }

  take(subject: string, limit: number): Taken {
    const now = this.#now()
    this.#sweep(now)
    let window = this.#windows.get(subject)
    if (!window) {
      window = new SlidingWindow(LENGTH)
      this.#windows.set(subject, window)
    }
    const wait = window.take(now, limit)
    if (wait > 0) return { retryAfterSec: Math.ceil(wait / SECOND) }
    return { giveBack: () => window.giveBack(now) }
  }

  remaining(subject: string, limit: number): number {
    return Math.max(0, limit - (this.#windows.get(subject)?.count(this.#now()) ?? 0))
  }

  freeing(subject: string): readonly number[] {
    return this.#windows.get(subject)?.freeing(this.#now(), SECOND) ?? []
  }

  /** Whole microseconds: sums of fractions are rounded, and a wait of 60 seconds becomes one of 61. */
  #now(): number {
    return Math.round(this.#milliseconds() * 1000)
  }

  /** Windows of applications that fell silent are dropped, once a window's length. */
  #sweep(now: number): void {
    if (now - this.#swept < LENGTH) return
    this.#swept = now
    for (const [subject, window] of this.#windows) if (window.count(now) === 0) this.#windows.delete(subject)
  }
}
