/** How much more than announced a publisher may send: retransmissions, probes and an estimate that overshoots. */
const HEADROOM = 2
/** The mean size of a packet, in bytes, that decides how many of them the bit rate allows. */
const MEAN_SIZE = 500
/** Milliseconds of the allowed rate that may arrive at once, such as a keyframe after a stall of the network. */
const BURST = 1000

/** Bounds what one publisher may send, in bytes and in packets. */
export class ArrivalLimit {
  readonly #bytesPerMillisecond: number
  readonly #packetsPerMillisecond: number
  #bytes: number
  #packets: number
  #at: number

  /** In bits per second; the time in milliseconds. */
  constructor(maxBitrate: number, now: number) {
    this.#bytesPerMillisecond = (maxBitrate * HEADROOM) / 8000
    this.#packetsPerMillisecond = this.#bytesPerMillisecond / MEAN_SIZE
    this.#bytes = this.#bytesPerMillisecond * BURST
    this.#packets = this.#packetsPerMillisecond * BURST
    this.#at = now
  }

  /** Takes a packet of that many bytes. Returns false for one beyond the limit. */
  take(size: number, now: number): boolean {
    const elapsed = now - this.#at
    this.#at = now
    this.#bytes = Math.min(this.#bytesPerMillisecond * BURST, this.#bytes + this.#bytesPerMillisecond * elapsed)
    this.#packets = Math.min(this.#packetsPerMillisecond * BURST, this.#packets + this.#packetsPerMillisecond * elapsed)
    if (this.#bytes < size || this.#packets < 1) return false
    this.#bytes -= size
    this.#packets -= 1
    return true
  }
}
