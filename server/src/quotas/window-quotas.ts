import { LIMITS } from '@portico/contract'
import type { Quotas, Taken } from './quotas.ts'
import { SlidingWindow } from './sliding-window.ts'

const LENGTH = LIMITS.quotaWindow * 1000

/** Quotas counted in this process. */
export class WindowQuotas implements Quotas {
  readonly #windows = new Map<string, SlidingWindow>()
  readonly #clock: () => number
  #swept: number

  /** The clock is one that never jumps: a corrected wall clock must not free or block anybody. */
  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock
    this.#swept = clock()
  }

  async take(subject: string, limit: number): Promise<Taken> {
    const now = this.#clock()
    this.#sweep(now)
    let window = this.#windows.get(subject)
    if (!window) {
      window = new SlidingWindow(LENGTH)
      this.#windows.set(subject, window)
    }
    const wait = window.take(now, limit)
    if (wait > 0) return { retryAfterSec: Math.max(1, Math.ceil(wait / 1000)) }
    return { giveBack: () => window.giveBack(now) }
  }

  async remaining(subject: string, limit: number): Promise<number> {
    const used = this.#windows.get(subject)?.count(this.#clock()) ?? 0
    return Math.max(0, limit - used)
  }

  /** Windows of applications that fell silent are dropped, once a window's length. */
  #sweep(now: number): void {
    if (now - this.#swept < LENGTH) return
    this.#swept = now
    for (const [subject, window] of this.#windows) if (window.count(now) === 0) this.#windows.delete(subject)
  }
}
