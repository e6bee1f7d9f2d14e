/** In milliseconds between attempts. */
const PAUSES = [1000, 2000, 5000]
const LONGEST = 10_000

/** Retries with increasing delays, one attempt at a time. */
export class Backoff {
  #failures = 0
  #waiting: ReturnType<typeof setTimeout> | undefined

  /** Never earlier than after so many milliseconds. */
  later(again: () => void, atLeast = 0): void {
    clearTimeout(this.#waiting)
    const pause = PAUSES[this.#failures] ?? LONGEST
    this.#failures += 1
    // Random, so that clients that were disconnected together don't return together.
    this.#waiting = setTimeout(again, Math.max(atLeast, pause * (0.5 + Math.random())))
  }

  /** Cancels the next attempt: the one after that waits longer still. */
  cancel(): void {
    clearTimeout(this.#waiting)
  }

  /** Cancels the next attempt and starts over. */
  forget(): void {
    clearTimeout(this.#waiting)
    this.#failures = 0
  }
}
