import { SlidingWindow } from './sliding-window.ts'

const SECOND = 1000

/** Sliding windows of a second. Counted in memory: each node of a cluster counts what it gets. */
export class SecondWindows {
  readonly #windows = new Map<string, SlidingWindow>()
  readonly #clock: () => number
  #sweptAt = 0

  /** In milliseconds. */
  constructor(clock: () => number) {
    this.#clock = clock
  }

  /** Counts for all of these subjects and returns how much is left of the scarcest; undefined: one of them has nothing left. */
  take(...subjects: readonly (readonly [subject: string, limit: number])[]): number | undefined {
    const now = this.#clock()
    this.#sweep(now)
    const windows = subjects.map(([subject, limit]) => ({ window: this.#windowOf(subject), limit }))
    if (windows.some(({ window, limit }) => window.count(now) >= limit)) return undefined
    for (const { window, limit } of windows) window.take(now, limit)
    return Math.min(...windows.map(({ window, limit }) => limit - window.count(now)))
  }

  #windowOf(subject: string): SlidingWindow {
    const known = this.#windows.get(subject)
    if (known) return known
    const window = new SlidingWindow(SECOND)
    this.#windows.set(subject, window)
    return window
  }

  #sweep(now: number): void {
    if (now - this.#sweptAt < SECOND) return
    this.#sweptAt = now
    for (const [subject, window] of this.#windows) if (window.count(now) === 0) this.#windows.delete(subject)
  }
}
