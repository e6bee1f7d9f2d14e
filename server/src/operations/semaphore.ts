import { Refusal } from './refusal.ts'

/** In seconds: the `Retry-After` of a caller that finds the queue full. */
export const RETRY_AFTER = 5

/** In milliseconds: shorter than the deadline of a request, after which nobody would get the result. */
const LONGEST_WAIT = 9000

interface SemaphoreOptions {
  readonly atOnce: number
  readonly queueLength: number
  readonly message?: string
  /** In milliseconds. */
  readonly longestWait?: number
}

/**
 * Limits how many callers do expensive work at once. Others wait in a queue; when it is full, or takes too long, they are
 * refused. Not `p-limit`:
 * its queue has no bound, and bounding it from outside would take as much code as this.
 */
export class Semaphore {
  readonly #atOnce: number
  readonly #queueLength: number
  readonly #message: string | undefined
  readonly #longestWait: number
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor({ atOnce, queueLength, message, longestWait = LONGEST_WAIT }: SemaphoreOptions) {
    this.#atOnce = atOnce
    this.#queueLength = queueLength
    this.#message = message
    this.#longestWait = longestWait
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

  async #wait(): Promise<void> {
    if (this.#waiting.length >= this.#queueLength) throw this.#refusal()
    const turn = Promise.withResolvers<void>()
    this.#waiting.push(turn.resolve)
    const timer = setTimeout(() => {
      this.#waiting.splice(this.#waiting.indexOf(turn.resolve), 1)
      turn.reject(this.#refusal())
    }, this.#longestWait)
    await turn.promise
    clearTimeout(timer)
  }

  #refusal(): Refusal {
    return new Refusal('tooManyRequests', {
      retryAfterSec: RETRY_AFTER,
      ...(this.#message !== undefined && { message: this.#message }),
    })
  }
}
