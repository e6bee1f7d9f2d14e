/** Messages that a client may send at once, and in a second; joining a large room takes a few dozen. */
const BURST = 300
const PER_SECOND = 50
/** Larger messages, in bytes, count as several: reading a session description takes time. */
const USUAL_SIZE = 16 * 1024

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

  /** Takes a message of that many bytes. Returns false if the client has sent too many. */
  take(size: number): boolean {
    const now = this.#now()
    this.#left = Math.min(BURST, this.#left + ((now - this.#at) / 1000) * PER_SECOND)
    this.#at = now
    const cost = Math.max(1, size / USUAL_SIZE)
    if (this.#left < cost) return false
    this.#left -= cost
    return true
  }
}
