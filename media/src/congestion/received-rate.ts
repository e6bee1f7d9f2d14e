/** Milliseconds of arrivals that make a sample; the first takes longer. */
const [FIRST_WINDOW, WINDOW] = [500, 150]
/** How much a sample is trusted that differs from the estimate. */
const UNCERTAINTY = 10

/** How much of what was sent arrives, in bits per second: samples, weighted by how little they surprise. */
export class ReceivedRate {
  /** Null until there was time for a sample. */
  bitrate: number | null = null
  /** The larger of the last two samples: what arrives now, where the estimate still follows. */
  recent = 0
  #last = 0
  #variance = 50
  #from = -1
  #bytes = 0

  add(arrival: number, size: number): void {
    if (this.#from < 0 || arrival < this.#from) {
      this.#start(arrival)
      this.#bytes = size
      return
    }
    const window = this.bitrate === null ? FIRST_WINDOW : WINDOW
    const elapsed = arrival - this.#from
    if (elapsed >= window) {
      // The time after a silence says nothing about the link.
      if (elapsed < window * 4) this.#sample((this.#bytes * 8) / elapsed)
      this.#start(arrival)
    }
    this.#bytes += size
  }

  reset(): void {
    this.#from = -1
  }

  #start(arrival: number): void {
    this.#from = arrival
    this.#bytes = 0
  }

  /** In kbit/s. */
  #sample(sample: number): void {
    this.recent = Math.max(sample, this.#last) * 1000
    this.#last = sample
    if (this.bitrate === null) {
      this.bitrate = sample * 1000
      return
    }
    const estimate = this.bitrate / 1000
    const deviation = (UNCERTAINTY * Math.abs(estimate - sample)) / Math.max(estimate, 1)
    const sampleVariance = Math.max(deviation * deviation, 0.001)
    const predicted = this.#variance + 5
    this.bitrate = ((sampleVariance * estimate + predicted * sample) / (sampleVariance + predicted)) * 1000
    this.#variance = (sampleVariance * predicted) / (sampleVariance + predicted)
  }
}
