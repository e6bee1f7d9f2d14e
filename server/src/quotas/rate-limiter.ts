import { LIMITS } from '@portico/contract'
import { SlidingWindow } from './sliding-window.ts'

const LENGTH = LIMITS.quotaWindow * 1000

/**
 * Sliding windows for people, addresses and sockets, counted in memory: they prevent one client from using up the
 * server, and need not be exact across restarts.
 */
export class RateLimiter {
  readonly #windows = new Map<string, SlidingWindow>()
  readonly #factor: number
  #sweptAt = 0

  /** Every limit is multiplied by the factor. */
  constructor(factor: number) {
    this.#factor = factor
  }

  /** Counts one request of the subject and returns 0, or returns the seconds to wait. */
  take(subject: string, limit: number): number {
    const now = performance.now()
    this.#sweep(now)
    let window = this.#windows.get(subject)
    if (!window) this.#windows.set(subject, (window = new SlidingWindow(LENGTH)))
    return Math.ceil(window.take(now, this.most(limit)) / 1000)
  }

  /** The limit multiplied by the factor. */
  most(limit: number): number {
    return Math.max(1, Math.floor(limit * this.#factor))
  }

  #sweep(now: number): void {
    if (now - this.#sweptAt < LENGTH) return
    this.#sweptAt = now
    for (const [subject, window] of this.#windows) if (window.count(now) === 0) this.#windows.delete(subject)
  }
}
