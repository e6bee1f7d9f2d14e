/** Messages that a client may send at once, and in a second; joining a large room takes a few dozen. */
const BURST = 300
const PER_SECOND = 50

/** Bounds the messages of one client. */
export class MessageBudget {
  readonly #now: () => number
  #left = BURST
  #at: number

  /** The clock returns milliseconds since any fixed point. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
    this.#at = now()
  }

  /** Returns false if the client has sent too many. */
  take(): boolean {
    const now = this.#now()
    this.#left = Math.min(BURST, this.#left + ((now - this.#at) / 1000) * PER_SECOND)
    this.#at = now
    if (this.#left < 1) return false
    this.#left -= 1
    return true
  }
}
