import type { ReportBlock } from '../rtp/rtcp.ts'
import { FIRST_CYCLE } from '../rtp/unwrap.ts'

/** What RFC 3550 reports about one incoming stream. */
export class ReceiveStatistics {
  readonly #clockRate: number
  packets = 0
  bytes = 0
  /** Bits per second, over the last interval. */
  bitrate = 0
  /** 0 to 1, over the last interval. */
  fractionLost = 0
  #first: number | undefined
  #highest = 0
  #transit: number | undefined
  #jitter = 0
  #expectedBefore = 0
  #packetsBefore = 0
  #bytesBefore = 0
  #measuredAt: number

  constructor(clockRate: number, now: number) {
    this.#clockRate = clockRate
    this.#measuredAt = now
  }

  /** Milliseconds. */
  get jitter(): number {
    return (this.#jitter / this.#clockRate) * 1000
  }

  /** In the whole life of the stream. */
  get lost(): number {
    return Math.max(0, this.#expected - this.packets)
  }

  get #expected(): number {
    return this.#first === undefined ? 0 : this.#highest - this.#first + 1
  }

  add(extended: number, timestamp: number, size: number, now: number): void {
    this.#first ??= extended
    this.#highest = Math.max(this.#highest, extended)
    this.packets += 1
    this.bytes += size
    const transit = Math.trunc(now * (this.#clockRate / 1000)) - timestamp
    if (this.#transit !== undefined) {
      // Both wrap at 32 bits.
      const difference = Math.abs((transit - this.#transit) | 0)
      // A restarted clock is no jitter.
      if (difference < this.#clockRate * 5) this.#jitter += (difference - this.#jitter) / 16
    }
    this.#transit = transit
  }

  /** Closes the interval since the last call. */
  report(ssrc: number, lastReport: { middle: number; receivedAt: number } | null, now: number): ReportBlock {
    const expected = this.#expected
    const expectedNow = expected - this.#expectedBefore
    const lostNow = Math.max(0, expectedNow - (this.packets - this.#packetsBefore))
    const elapsed = Math.max(1, now - this.#measuredAt)
    this.fractionLost = expectedNow > 0 ? lostNow / expectedNow : 0
    this.bitrate = Math.round(((this.bytes - this.#bytesBefore) * 8000) / elapsed)
    this.#expectedBefore = expected
    this.#packetsBefore = this.packets
    this.#bytesBefore = this.bytes
    this.#measuredAt = now
    return {
      ssrc,
      fractionLost: Math.min(255, Math.floor(this.fractionLost * 256)),
      totalLost: expected - this.packets,
      highestSequence: (this.#highest - FIRST_CYCLE) >>> 0,
      jitter: Math.round(this.#jitter),
      lastReport: lastReport?.middle ?? 0,
      delaySinceLastReport: lastReport ? Math.round(((now - lastReport.receivedAt) * 65536) / 1000) : 0,
    }
  }
}
