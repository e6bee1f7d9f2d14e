/** How much faster than estimated a viewer gets what has piled up, such as a keyframe; and where the estimate is what limits them. */
const [SPEED, LIMITED_SPEED] = [2.5, 1.2]
/** The share of the estimate that is for sending again, and milliseconds of it that may be sent at once. */
const REPEATS = 0.5
const REPEATS_BURST = 200
const START = 1_000_000
/** Milliseconds of that rate that may leave at once, and at least this many bytes. */
const BURST = 20
const MIN_BURST = 5000

/** What waits for its turn. */
export interface PacedPacket {
  send(): void
}

/** Spreads what is sent to a viewer over time, so that it doesn't fill queues on the way. Sound doesn't wait, but counts. */
export class Pacer {
  readonly #queue: PacedPacket[] = []
  #head = 0
  #bytesPerMillisecond = START / 8000
  #repeatedPerMillisecond = START / 8000
  #credit = MIN_BURST
  #repeatCredit = 0
  #at = 0

  get waiting(): number {
    return this.#queue.length - this.#head
  }

  /** `estimate` is in bits per second. */
  setRate(estimate: number, isLimited: boolean): void {
    this.#bytesPerMillisecond = (estimate * (isLimited ? LIMITED_SPEED : SPEED)) / 8000
    this.#repeatedPerMillisecond = (estimate * REPEATS) / 8000
  }

  /** Whether a packet may be sent now, without overtaking others. */
  isFree(now: number): boolean {
    this.#refill(now)
    return this.#credit > 0 && this.waiting === 0
  }

  /** Whether a packet may be sent again. If so, it is. */
  takeRepeat(size: number, now: number): boolean {
    this.#refill(now)
    if (this.#repeatCredit < 0) return false
    this.#repeatCredit -= size
    return true
  }

  sent(size: number): void {
    this.#credit -= size
  }

  add(packet: PacedPacket): void {
    this.#queue.push(packet)
  }

  /** Sends what is due. */
  run(now: number): void {
    this.#refill(now)
    while (this.#credit > 0 && this.#head < this.#queue.length) this.#queue[this.#head++]!.send()
    if (this.#head <= this.#queue.length / 2) return
    this.#queue.splice(0, this.#head)
    this.#head = 0
  }

  #refill(now: number): void {
    const elapsed = now - this.#at
    const repeats = this.#repeatCredit + elapsed * this.#repeatedPerMillisecond
    this.#repeatCredit = Math.min(repeats, REPEATS_BURST * this.#repeatedPerMillisecond)
    const burst = Math.max(MIN_BURST, BURST * this.#bytesPerMillisecond)
    const debt = -burst * 10
    this.#credit = Math.max(debt, Math.min(burst, this.#credit + elapsed * this.#bytesPerMillisecond))
    this.#at = now
  }
}
