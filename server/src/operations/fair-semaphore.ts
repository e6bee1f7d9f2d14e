import { Refusal } from './refusal.ts'
import { RETRY_AFTER } from './semaphore.ts'

interface Waiting {
  readonly start: () => void
  readonly refuse: () => void
}

/**
 * Limits how many people’s expensive work runs at once, with one call of each person at a time. Those who wait take turns, so
 * nobody waits behind all calls of another person. Calls whose turn comes too late are refused.
 */
export class FairSemaphore {
  readonly #atOnce: number
  readonly #longestWait: number
  readonly #running = new Set<string>()
  /** By person, those who are next first. */
  readonly #waiting = new Map<string, Waiting[]>()

  /** The wait is in milliseconds. */
  constructor({ atOnce, longestWait }: { readonly atOnce: number; readonly longestWait: number }) {
    this.#atOnce = atOnce
    this.#longestWait = longestWait
  }

  async run<T>(personId: string, work: () => Promise<T>): Promise<T> {
    if (this.#running.size < this.#atOnce && !this.#running.has(personId)) this.#running.add(personId)
    else await this.#wait(personId)
    try {
      return await work()
    } finally {
      this.#running.delete(personId)
      this.#moveToEnd(personId)
      this.#startNext()
    }
  }

  async #wait(personId: string): Promise<void> {
    const turn = Promise.withResolvers<void>()
    const waiting = { start: turn.resolve, refuse: () => turn.reject(tooMany()) }
    const line = this.#waiting.get(personId)
    if (line) line.push(waiting)
    else this.#waiting.set(personId, [waiting])
    const timer = setTimeout(() => this.#giveUp(personId, waiting), this.#longestWait)
    await turn.promise.finally(() => clearTimeout(timer))
  }

  #startNext(): void {
    for (const [personId, line] of this.#waiting) {
      if (this.#running.size >= this.#atOnce) return
      const next = this.#running.has(personId) ? undefined : line.shift()
      if (!next) continue
      if (line.length === 0) this.#waiting.delete(personId)
      this.#running.add(personId)
      next.start()
    }
  }

  /** Who has just had a turn is behind everyone else who waits. */
  #moveToEnd(personId: string): void {
    const line = this.#waiting.get(personId)
    if (!line) return
    this.#waiting.delete(personId)
    this.#waiting.set(personId, line)
  }

  #giveUp(personId: string, waiting: Waiting): void {
    const line = this.#waiting.get(personId)?.filter((other) => other !== waiting) ?? []
    if (line.length > 0) this.#waiting.set(personId, line)
    else this.#waiting.delete(personId)
    waiting.refuse()
  }
}

function tooMany(): Refusal {
  return new Refusal('tooManyRequests', { retryAfterSec: RETRY_AFTER })
}
