/** In milliseconds, from one attempt to the next. */
const PAUSES = [1000, 2000, 5000]
const LONGEST = 10_000

/** Tries something again after a while, and after a longer one each time that it is asked to. One attempt at a time. */
export class Backoff {
  #failures = 0
  #waiting: ReturnType<typeof setTimeout> | undefined

  later(again: () => void): void {
    clearTimeout(this.#waiting)
    const pause = PAUSES[this.#failures] ?? LONGEST
    this.#failures += 1
    // All who were cut off at once would come back at once.
    this.#waiting = setTimeout(again, pause * (0.5 + Math.random()))
  }

  /** Nothing is tried any more; what fails next is the first failure again. */
  forget(): void {
    clearTimeout(this.#waiting)
    this.#failures = 0
  }
}
