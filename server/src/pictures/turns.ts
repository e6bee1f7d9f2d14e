import { Refusal } from '../refusal.ts'

/** Work that must not be done by everybody at once. */
export class Turns {
  readonly #atOnce: number
  readonly #most: number
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor({ atOnce, waiting }: { atOnce: number; waiting: number }) {
    this.#atOnce = atOnce
    this.#most = waiting
  }

  async take<T>(work: () => Promise<T>): Promise<T> {
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
    if (this.#waiting.length >= this.#most) throw new Refusal('tooManyRequests', { retryAfterSec: 5 })
    return new Promise((resolve) => this.#waiting.push(resolve))
  }
}
