import { Refusal } from '../operations/refusal.ts'

/** In seconds: what somebody is told who finds no free slot. */
const RETRY_AFTER = 5

/** How many bodies of files are in memory at once: of one person, and of all. */
export class UploadSlots {
  readonly #ofOne: number
  readonly #ofAll: number
  readonly #taken = new Map<string, number>()
  #all = 0

  constructor({ ofOne, ofAll }: { ofOne: number; ofAll: number }) {
    this.#ofOne = ofOne
    this.#ofAll = ofAll
  }

  /** Gives what frees the slot again. */
  take(personId: string): () => void {
    const taken = this.#taken.get(personId) ?? 0
    if (taken >= this.#ofOne || this.#all >= this.#ofAll) {
      throw new Refusal('tooManyRequests', { retryAfterSec: RETRY_AFTER })
    }
    this.#taken.set(personId, taken + 1)
    this.#all += 1
    return () => this.#free(personId)
  }

  #free(personId: string): void {
    this.#all -= 1
    const left = (this.#taken.get(personId) ?? 0) - 1
    if (left > 0) this.#taken.set(personId, left)
    else this.#taken.delete(personId)
  }
}
