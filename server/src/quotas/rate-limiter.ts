import { LIMITS } from '@portico/contract'
import { SlidingWindow } from './sliding-window.ts'

const LENGTH = LIMITS.quotaWindow * 1000
/** A node reports a subject to the other nodes once it has used this share of its limit. Few subjects ever do. */
const SHARED_FROM = 1 / 10

/**
 * Sliding windows for people, addresses and sockets, counted in memory: they prevent one client from using up the
 * server, and need not be exact across restarts or nodes (`share-limits.ts`).
 */
export class RateLimiter {
  readonly #windows = new Map<string, SlidingWindow>()
  readonly #factor: number
  /** Accepted since the last `drain`. */
  #unshared = new Map<string, number>()
  #sweptAt = 0

  /** Every limit is multiplied by the factor. */
  constructor(factor: number) {
    this.#factor = factor
  }

  /** Counts one request of the subject and returns 0, or returns the seconds to wait. */
  take(subject: string, limit: number): number {
    const now = performance.now()
    this.#sweep(now)
    const window = this.#windowOf(subject)
    const most = this.most(limit)
    const wait = window.take(now, most)
    if (wait === 0 && window.count(now) >= most * SHARED_FROM) {
      this.#unshared.set(subject, (this.#unshared.get(subject) ?? 0) + 1)
    }
    return Math.ceil(wait / 1000)
  }

  /** What other nodes have to count as well. */
  drain(): ReadonlyMap<string, number> {
    const unshared = this.#unshared
    this.#unshared = new Map()
    return unshared
  }

  /** Counts what another node accepted. */
  charge(subject: string, count: number): void {
    this.#windowOf(subject).charge(performance.now(), count)
  }

  /** The limit multiplied by the factor. */
  most(limit: number): number {
    return Math.max(1, Math.floor(limit * this.#factor))
  }

  #windowOf(subject: string): SlidingWindow {
    const known = this.#windows.get(subject)
    if (known) return known
    const window = new SlidingWindow(LENGTH)
    this.#windows.set(subject, window)
    return window
  }

  #sweep(now: number): void {
    if (now - this.#sweptAt < LENGTH) return
    this.#sweptAt = now
    // Alone, nobody asks for it.
    this.#unshared.clear()
    for (const [subject, window] of this.#windows) if (window.count(now) === 0) this.#windows.delete(subject)
  }
}
