import { Refusal } from './refusal.ts'

/** In seconds: the `Retry-After` of a caller that finds the queue full. */
const RETRY_AFTER = 5

/**
 * Limits how many callers do expensive work at once. Others wait in a queue; when it is full, they are refused. Not `p-limit`:
 * its queue has no bound, and bounding it from outside would take as much code as this.
 */
export class Semaphore {
  readonly #atOnce: number
  readonly #queueLength: number
  readonly #message: string | undefined
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor({ atOnce, queueLength, message }: { atOnce: number; queueLength: number; message?: string }) {
    this.#atOnce = atOnce
    this.#queueLength = queueLength
    this.#message = message
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running < this.#atOnce) this.#running += 1
    else await this.#wait()
    try {
      return await work()
    } finally {
      // Passed on directly, so that a new caller can't overtake those who wait.
      const next = this.#waiting.shift()
      if (next) next()
      else this.#running -= 1
    }
  }

  #wait(): Promise<void> {
    if (this.#waiting.length >= this.#queueLength) {
      throw new Refusal('tooManyRequests', {
        retryAfterSec: RETRY_AFTER,
        ...(this.#message !== undefined && { message: this.#message }),
      })
    }
    return new Promise((resolve) => this.#waiting.push(resolve))
  }
}
