import { unwrapSequence } from '../rtp/unwrap.ts'

/** About two seconds of 8 Mbit/s. */
const SIZE = 2048

/** A missing packet is one that the receiver says hasn't arrived; it counts as lost a little later. */
const [NONE, SENT, MISSING, ARRIVED, LOST] = [0, 1, 2, 3, 4]

/** What was sent to a viewer lately, by its transport-wide sequence number. Nothing is allocated per packet. */
export class SendHistory {
  readonly #times = new Float64Array(SIZE)
  readonly #sizes = new Uint16Array(SIZE)
  readonly #states = new Uint8Array(SIZE)
  readonly #probes = new Uint8Array(SIZE)
  #next = SIZE
  /** All before this number have arrived, or count as lost. */
  #settled = SIZE

  /** Returns the number of the packet. `probe` is 0 for packets that are part of none. */
  add(size: number, now: number, probe: number): number {
    const extended = this.#next++
    const place = extended % SIZE
    this.#times[place] = now
    this.#sizes[place] = size
    this.#states[place] = SENT
    this.#probes[place] = probe
    return extended & 0xffff
  }

  /** Null for one that wasn't sent, or too long ago. */
  find(sequenceNumber: number): number | null {
    const extended = unwrapSequence(sequenceNumber, this.#next - 1)
    return extended < this.#next && extended >= this.#next - SIZE && extended >= SIZE ? extended : null
  }

  sentAt(extended: number): number {
    return this.#times[extended % SIZE]!
  }

  sizeOf(extended: number): number {
    return this.#sizes[extended % SIZE]!
  }

  probeOf(extended: number): number {
    return this.#probes[extended % SIZE]!
  }

  /** The packet has arrived. Returns what it counted as until now. */
  arrived(extended: number): 'sent' | 'arrived' | 'lost' {
    const place = extended % SIZE
    const state = this.#states[place]
    this.#states[place] = ARRIVED
    if (state === SENT || state === MISSING) return 'sent'
    return state === LOST ? 'lost' : 'arrived'
  }

  /** A message of the receiver was about these packets. */
  reported(sequenceNumber: number, count: number): void {
    const first = unwrapSequence(sequenceNumber, this.#next - 1)
    const end = Math.min(first + count, this.#next)
    for (let extended = Math.max(first, this.#settled); extended < end; extended++) {
      if (this.#states[extended % SIZE] === SENT) this.#states[extended % SIZE] = MISSING
    }
  }

  /** A message was lost. Perhaps it was about packets that the one before had called missing. */
  doubt(): void {
    for (let extended = this.#settled; extended < this.#next; extended++) {
      if (this.#states[extended % SIZE] === MISSING) this.#states[extended % SIZE] = SENT
    }
  }

  /**
   * Packets that were sent before this time, and are missing, are lost. Returns how many. Those that no message was about, because
   * the message was lost, may have arrived.
   */
  settle(before: number): number {
    let lost = 0
    this.#settled = Math.max(this.#settled, this.#next - SIZE)
    for (; this.#settled < this.#next; this.#settled++) {
      const place = this.#settled % SIZE
      if (this.#times[place]! >= before) break
      if (this.#states[place] !== MISSING) continue
      this.#states[place] = LOST
      lost += 1
    }
    return lost
  }

  /** When the oldest packet was sent of which nothing is known; null without any. */
  get waitingSince(): number | null {
    this.settle(-Infinity)
    for (let extended = this.#settled; extended < this.#next; extended++) {
      const state = this.#states[extended % SIZE]
      if (state === SENT || state === MISSING) return this.#times[extended % SIZE]!
      this.#settled = extended + 1
    }
    return null
  }

  /** Whatever is on its way counts neither as arrived nor as lost. */
  forget(): void {
    this.#states.fill(NONE)
    this.#settled = this.#next
  }
}
