import type { LinkUsage } from './delay-trend.ts'
import type { ReceivedRate } from './received-rate.ts'

export const MIN_BITRATE = 50_000
export const MAX_BITRATE = 50_000_000

/** Of what arrives when the link is overused. */
const BACK_OFF = 0.85
/** Per second, while nothing is known about the link's capacity. */
const GROWTH = 1.08
/** How far above what arrives the estimate may grow: nobody has tried more. */
const UNTRIED = 1.5
const UNTRIED_FLOOR = 10_000
const PACKET_BITS = 1200 * 8
const FRAME_RATE = 30
const MIN_STEP = 4000

/** What arrived when the link was overused before. */
class Capacity {
  #mean: number | null = null
  #variance = 0.4

  get isKnown(): boolean {
    return this.#mean !== null
  }

  get mean(): number | null {
    return this.#mean
  }

  add(bitrate: number): void {
    const mean = this.#mean ?? bitrate
    this.#mean = mean + 0.05 * (bitrate - mean)
    const kilobits = Math.max(this.#mean / 1000, 1)
    const error = (mean - bitrate) / 1000
    this.#variance = Math.min(2.5, Math.max(0.4, 0.95 * this.#variance + (0.05 * error * error) / kilobits))
  }

  isAbove(bitrate: number): boolean {
    return this.#mean !== null && bitrate < this.#mean - this.#spread
  }

  isBelow(bitrate: number): boolean {
    return this.#mean !== null && bitrate > this.#mean + this.#spread
  }

  forget(): void {
    this.#mean = null
  }

  get #spread(): number {
    return 3 * Math.sqrt((this.#variance * (this.#mean ?? 0)) / 1000) * 1000
  }
}

/** Additive increase, multiplicative decrease: the estimate grows until the delay does, and then falls below what arrives. */
export class RateControl {
  bitrate: number
  readonly #capacity = new Capacity()
  #state: 'hold' | 'increase' = 'hold'
  #changedAt = -1
  #decreasedAt = -Infinity

  constructor(bitrate: number) {
    this.bitrate = bitrate
  }

  update(usage: LinkUsage, received: ReceivedRate, roundTripTime: number, now: number): void {
    const elapsed = this.#changedAt < 0 ? 0 : now - this.#changedAt
    this.#changedAt = now
    if (received.bitrate === null) return
    if (usage === 'over') this.#decrease(received.recent, roundTripTime, now)
    else if (usage === 'under') this.#state = 'hold'
    else if (this.#state === 'hold') this.#state = 'increase'
    else this.#increase(received.bitrate, roundTripTime, Math.min(elapsed, 1000))
  }

  /** What a probe has shown. */
  set(bitrate: number): void {
    this.bitrate = clamp(bitrate)
    if (this.#capacity.isBelow(bitrate)) this.#capacity.forget()
  }

  #decrease(received: number, roundTripTime: number, now: number): void {
    this.#state = 'hold'
    const isRecent = now - this.#decreasedAt < Math.min(200, Math.max(10, roundTripTime))
    if (isRecent && received > this.bitrate / 2) return
    this.#decreasedAt = now
    let next = received * BACK_OFF
    if (next > this.bitrate && this.#capacity.mean !== null) next = this.#capacity.mean * BACK_OFF
    if (this.#capacity.isAbove(received)) this.#capacity.forget()
    this.#capacity.add(received)
    if (next < this.bitrate) this.bitrate = clamp(next)
  }

  #increase(received: number, roundTripTime: number, elapsed: number): void {
    if (this.#capacity.isBelow(received)) this.#capacity.forget()
    const next = this.#capacity.isKnown
      ? this.bitrate + (this.#step(roundTripTime) * elapsed) / 1000
      : this.bitrate * GROWTH ** (elapsed / 1000)
    const limit = Math.max(this.bitrate, received * UNTRIED + UNTRIED_FLOOR)
    this.bitrate = clamp(Math.min(next, limit))
  }

  /** About one packet for each round trip, in bits per second. */
  #step(roundTripTime: number): number {
    const frame = this.bitrate / FRAME_RATE
    const packet = frame / Math.ceil(frame / PACKET_BITS)
    return Math.max(MIN_STEP, (packet * 1000) / ((roundTripTime + 100) * 2))
  }
}

const clamp = (bitrate: number): number => Math.min(MAX_BITRATE, Math.max(MIN_BITRATE, bitrate))
