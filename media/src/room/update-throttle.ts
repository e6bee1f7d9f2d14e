import type { Participant } from './participant.ts'

/** Updates about one participant that are sent immediately. Joining and publishing take a few. */
const BURST = 10
/** In milliseconds: beyond the burst, there is one update in this time. */
const INTERVAL = 100

interface Allowance {
  left: number
  at: number
}

/**
 * Bounds how often others learn of one participant's changes: each of them may be sent to hundreds of people. What is
 * put off is sent once, with the state of that moment.
 */
export class UpdateThrottle {
  readonly #update: (participant: Participant) => void
  readonly #allowances = new WeakMap<Participant, Allowance>()
  readonly #waiting = new Set<Participant>()
  #isScheduled = false

  constructor(update: (participant: Participant) => void) {
    this.#update = update
  }

  /** Updates the others now or soon. */
  changed(participant: Participant): void {
    if (this.#waiting.has(participant)) return
    if (this.#take(participant)) return this.#update(participant)
    this.#waiting.add(participant)
    if (!this.#isScheduled) setTimeout(() => this.#flush(), INTERVAL).unref()
    this.#isScheduled = true
  }

  /** Of someone who has left nothing more is said. */
  forget(participant: Participant): void {
    this.#waiting.delete(participant)
  }

  #take(participant: Participant): boolean {
    const now = performance.now()
    const { left, at } = this.#allowances.get(participant) ?? { left: BURST, at: now }
    const refilled = Math.min(BURST, left + (now - at) / INTERVAL)
    this.#allowances.set(participant, { left: Math.max(0, refilled - 1), at: now })
    return refilled >= 1
  }

  #flush(): void {
    this.#isScheduled = false
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const participant of waiting) {
      this.#take(participant)
      this.#update(participant)
    }
  }
}
