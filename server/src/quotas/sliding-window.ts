/** A sliding-window log: the time of every request that was accepted within the last `length` ticks of a clock. */
export class SlidingWindow {
  readonly #length: number
  #times: number[] = []
  #first = 0

  /** The `times` were accepted earlier, and are in order. */
  constructor(length: number, times: readonly number[] = []) {
    this.#length = length
    this.#times = [...times]
  }

  /** Accepts a request and returns 0, or returns the ticks to wait. */
  take(now: number, limit: number): number {
    this.#forget(now)
    if (this.count(now) < limit) {
      this.#times.push(now)
      return 0
    }
    const blocking = this.#times[this.#times.length - limit] ?? now
    return blocking + this.#length - now
  }

  /** Counts `count` requests as accepted at a time that is not before any other. */
  charge(time: number, count: number): void {
    for (let charged = 0; charged < count; charged += 1) this.#times.push(time)
  }

  giveBack(time: number): void {
    const index = this.#times.lastIndexOf(time)
    if (index >= this.#first) this.#times.splice(index, 1)
  }

  count(now: number): number {
    this.#forget(now)
    return this.#times.length - this.#first
  }

  /** How long ago each was accepted, the oldest first. */
  ages(now: number): number[] {
    this.#forget(now)
    return this.#times.slice(this.#first).map((time) => now - time)
  }

  /** How many were accepted in each step of `step` ticks before now, the latest step first. */
  accepted(now: number, step: number): number[] {
    this.#forget(now)
    const steps: number[] = []
    for (let index = this.#times.length - 1; index >= this.#first; index -= 1) {
      const age = Math.max(0, Math.floor((now - (this.#times[index] ?? now)) / step))
      while (steps.length <= age) steps.push(0)
      steps[age] = (steps[age] ?? 0) + 1
    }
    return steps
  }

  /** How many leave the window in each step of `step` ticks from now on. The sum is the count. */
  freeing(now: number, step: number): number[] {
    this.#forget(now)
    const steps = Array.from({ length: Math.ceil(this.#length / step) }, () => 0)
    for (const time of this.#times.slice(this.#first)) {
      const index = Math.ceil((time + this.#length - now) / step) - 1
      steps[index] = (steps[index] ?? 0) + 1
    }
    return steps
  }

  #forget(now: number): void {
    while (this.#first < this.#times.length && (this.#times[this.#first] ?? now) <= now - this.#length) this.#first += 1
    // Removed in large pieces: shifting the array for every request would take time proportional to its length.
    if (this.#first > 64 && this.#first * 2 > this.#times.length) {
      this.#times = this.#times.slice(this.#first)
      this.#first = 0
    }
  }
}
