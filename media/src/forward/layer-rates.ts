import { PACKET_OVERHEAD } from './downlink.ts'

const INTERVAL = 500
const TEMPORAL_LAYERS = 4
/** How fast the rate follows what is more and what is less than before. */
const [RISE, FALL] = [0.5, 0.2]

/** What the pictures of one layer need on the way to a viewer, by temporal layer. */
export class LayerRates {
  readonly #bytes = new Float64Array(TEMPORAL_LAYERS)
  readonly #bitrates = new Float64Array(TEMPORAL_LAYERS)
  #since: number
  #isMeasured = false
  /** How many temporal layers there are. */
  temporalLayers = 1

  constructor(now: number) {
    this.#since = now
  }

  add(temporal: number, size: number): void {
    this.#bytes[temporal]! += size + PACKET_OVERHEAD
    if (temporal >= this.temporalLayers) this.temporalLayers = temporal + 1
  }

  /** What was measured last stays known while nothing is sent. */
  tick(now: number): void {
    const elapsed = now - this.#since
    if (elapsed < INTERVAL) return
    this.#since = now
    if (this.#bytes.every((bytes) => bytes === 0)) return
    for (let at = 0; at < TEMPORAL_LAYERS; at++) {
      const bitrate = (this.#bytes[at]! * 8000) / elapsed
      const change = bitrate - this.#bitrates[at]!
      this.#bitrates[at]! += this.#isMeasured ? change * (change > 0 ? RISE : FALL) : change
      this.#bytes[at] = 0
    }
    this.#isMeasured = true
  }

  /** Bits per second with all temporal layers up to this one; null while unknown. */
  upTo(temporal: number): number | null {
    if (!this.#isMeasured) return null
    let bitrate = 0
    for (let at = 0; at <= temporal && at < TEMPORAL_LAYERS; at++) bitrate += this.#bitrates[at]!
    return bitrate
  }
}
