import { MIN_BITRATE } from './rate-control.ts'

/** Packets and milliseconds that a share of lost packets is calculated from. */
const MIN_PACKETS = 50
const WINDOW = 500
/** With fewer packets, after this time. */
const LONG_WINDOW = 3000
/** More than this share is lost: less is sent. Less than that one: slowly more. */
const LOSSY = 0.1
const CLEAN = 0.02
const GROWTH = 1.08
/** Sending this much less must have an effect on the loss, or it isn't ours. */
const TRIED = 0.7
/** By how little what arrives has fallen then, if a link of fixed capacity loses what exceeds it. */
const HELD = 0.85
/** Sending less than this (bits per second) says little about the link. */
const LITTLE = 300_000

/**
 * What the loss of packets allows. A link that is too small loses less when less is sent, and as much arrives as before; a link
 * that loses packets at random loses the same share of them whatever we do, and gets no less than it carries.
 */
export class LossControl {
  /** Bits per second. */
  limit = Infinity
  /** The share of lost packets in the last window, 0 to 1. */
  share = 0
  #unavoidable = 0
  #episode: { readonly limit: number; readonly sent: number; readonly received: number } | null = null
  #arrived = 0
  #arrivedBytes = 0
  #lost = 0
  #since = -1

  /** A packet has arrived, perhaps after it counted as lost. */
  arrived(size: number, wasLost: boolean): void {
    this.#arrived += 1
    this.#arrivedBytes += size
    if (wasLost && this.#lost > 0) this.#lost -= 1
  }

  lost(packets: number): void {
    this.#lost += packets
  }

  /** A probe has shown that this much arrives. */
  allow(bitrate: number): void {
    this.limit = Math.max(this.limit, bitrate)
  }

  reset(): void {
    this.#arrived = 0
    this.#arrivedBytes = 0
    this.#lost = 0
    this.#since = -1
  }

  /** `bitrate` is what the delay allows. */
  update(bitrate: number, now: number): void {
    if (this.#since < 0) this.#since = now
    const packets = this.#arrived + this.#lost
    const elapsed = now - this.#since
    if (elapsed < (packets < MIN_PACKETS ? LONG_WINDOW : WINDOW) || packets === 0) return
    const received = (this.#arrivedBytes * 8000) / elapsed
    this.share = this.#lost / packets
    this.reset()
    this.#since = now
    if (this.share < this.#unavoidable) this.#unavoidable += 0.2 * (this.share - this.#unavoidable)
    const excess = this.share - this.#unavoidable
    if (excess > LOSSY) this.#reduce(excess, bitrate, received)
    else if (excess < CLEAN) this.#grow(bitrate, elapsed)
  }

  #reduce(excess: number, bitrate: number, received: number): void {
    const sent = received / (1 - Math.min(this.share, 0.9))
    const from = Math.min(this.limit, bitrate, Math.max(sent, LITTLE))
    this.#episode ??= { limit: from, sent, received }
    const { limit, sent: sentBefore, received: receivedBefore } = this.#episode
    const hadNoEffect = sent < sentBefore * TRIED && received < receivedBefore * HELD
    const isExhausted = this.limit < sent * TRIED
    if (hadNoEffect || isExhausted) {
      this.#unavoidable = this.share
      this.limit = hadNoEffect ? Math.max(from, limit) : from
      this.#episode = null
    } else this.limit = Math.max(MIN_BITRATE, from * (1 - excess / 2))
  }

  #grow(bitrate: number, elapsed: number): void {
    this.#episode = null
    this.limit *= GROWTH ** (elapsed / 1000)
    if (this.limit > bitrate * 2) this.limit = Infinity
  }
}
