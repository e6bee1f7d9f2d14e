import { Refusal } from './refusal.ts'

/** In seconds: what a caller is told who finds the queue full. */
const RETRY_AFTER = 5

/** Lets a few callers do expensive work at once. Others wait in a queue; whoever finds it full is refused. */
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
      // Handed on rather than given back, so that nobody new slips in before those who wait.
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
