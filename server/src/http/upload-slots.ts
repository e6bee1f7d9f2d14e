import { Refusal } from '../operations/refusal.ts'

/** In seconds: Retry-After when no slot is free. */
const RETRY_AFTER = 5

/**
 * Limits how many uploads are received at once: in total, and per person. The fewer slots are free, the fewer a person may
 * have, so that a few people can't take all of them.
 */
export class UploadSlots {
  readonly #ofOne: number
  readonly #ofAll: number
  readonly #taken = new Map<string, number>()
  #all = 0

  constructor({ ofOne, ofAll }: { ofOne: number; ofAll: number }) {
    this.#ofOne = ofOne
    this.#ofAll = ofAll
  }

  /** Returns a function that frees the slot. */
  take(personId: string): () => void {
    const taken = this.#taken.get(personId) ?? 0
    if (taken >= this.#share() || this.#all >= this.#ofAll) {
      throw new Refusal('tooManyRequests', { retryAfterSec: RETRY_AFTER })
    }
    this.#taken.set(personId, taken + 1)
    this.#all += 1
    return () => this.#free(personId)
  }

  #share(): number {
    const used = this.#all / this.#ofAll
    if (used < 1 / 2) return this.#ofOne
    return used < 3 / 4 ? Math.ceil(this.#ofOne / 2) : 1
  }

  #free(personId: string): void {
    this.#all -= 1
    const left = (this.#taken.get(personId) ?? 0) - 1
    if (left > 0) this.#taken.set(personId, left)
    else this.#taken.delete(personId)
  }
}
