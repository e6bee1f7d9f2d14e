/** The shortest delay is forgotten after this time (ms), because routes and clocks change. */
const WINDOW = 10_000
const SMOOTHING = 0.1
/** Milliseconds from which on a queue is one, is long, and grows, and the packets that are needed to say so. */
const [SHORT, LONG, GROWTH] = [30, 150, 15]
const MIN_PACKETS = 5
/** The receiver has set its clock. */
const JUMP = 20_000

/** How long packets wait in queues on their way: how much longer they take than the quickest of late. The clocks needn't agree. */
export class QueueingDelay {
  /** Milliseconds. */
  current = 0
  /** Whether there is a queue that no packet evades. */
  isStanding = false
  /** Whether it is long, and longer than before. */
  isGrowing = false
  #least = Infinity
  #leastBefore = 0
  #packets = 0
  #shortest = Infinity
  #next = Infinity
  #since = -1

  add(sentAt: number, arrival: number): void {
    const delay = arrival - sentAt
    if (Math.abs(delay - this.#shortest) > JUMP) this.reset()
    if (this.#since < 0) this.#since = sentAt
    if (sentAt - this.#since > WINDOW) {
      this.#shortest = this.#next
      this.#next = Infinity
      this.#since = sentAt
    }
    this.#next = Math.min(this.#next, delay)
    this.#shortest = Math.min(this.#shortest, delay)
    const waited = delay - this.#shortest
    this.current += SMOOTHING * (waited - this.current)
    this.#least = Math.min(this.#least, waited)
    this.#packets += 1
  }

  /** To be called now and then. Even the quickest packets since the last call tell about a queue, whatever the jitter. */
  measure(): void {
    if (this.#packets < MIN_PACKETS) return
    this.isStanding = this.#least > SHORT && this.#leastBefore > SHORT
    this.isGrowing = this.#least > LONG && this.#least > this.#leastBefore + GROWTH
    this.#leastBefore = this.#least
    this.#least = Infinity
    this.#packets = 0
  }

  reset(): void {
    this.current = 0
    this.isStanding = false
    this.isGrowing = false
    this.#shortest = Infinity
    this.#next = Infinity
    this.#since = -1
    this.#least = Infinity
    this.#leastBefore = 0
    this.#packets = 0
  }
}
