export type LinkUsage = 'normal' | 'over' | 'under'

/** Groups that the trend is drawn through. */
const WINDOW = 20
const SMOOTHING = 0.9
const GAIN = 4
const MAX_DELTAS = 60
/** How long (ms) the delay has to grow before the link counts as overused. */
const PATIENCE = 10
const FIRST_THRESHOLD = 12.5
const [MIN_THRESHOLD, MAX_THRESHOLD] = [6, 600]
/** How fast the threshold follows what is above and below it. */
const [FOLLOW_UP, FOLLOW_DOWN] = [0.0087, 0.039]
const OUTLIER = 15
const MAX_STEP = 100

/**
 * Whether packets take longer and longer: then a queue is filling somewhere. The threshold adapts to the jitter of the path, and to
 * other traffic that fills queues whatever we do. (The trendline filter of Google Congestion Control.)
 */
export class DelayTrend {
  usage: LinkUsage = 'normal'
  readonly #times = new Float64Array(WINDOW)
  readonly #delays = new Float64Array(WINDOW)
  #deltas = 0
  #firstArrival = 0
  #accumulated = 0
  #smoothed = 0
  #before = 0
  #threshold = FIRST_THRESHOLD
  #thresholdAt = -1
  #overFor = -1
  #overs = 0

  add(sendDelta: number, arrivalDelta: number, arrival: number): void {
    if (this.#deltas === 0) this.#firstArrival = arrival
    this.#accumulated += arrivalDelta - sendDelta
    this.#smoothed = SMOOTHING * this.#smoothed + (1 - SMOOTHING) * this.#accumulated
    const place = this.#deltas % WINDOW
    this.#times[place] = arrival - this.#firstArrival
    this.#delays[place] = this.#smoothed
    this.#deltas += 1
    this.#judge(this.#deltas < WINDOW ? this.#before : this.#slope(), sendDelta, arrival)
  }

  /** After an interruption: what came before has nothing to say. */
  reset(): void {
    this.usage = 'normal'
    this.#deltas = 0
    this.#accumulated = 0
    this.#smoothed = 0
    this.#before = 0
    this.#overFor = -1
    this.#overs = 0
  }

  #judge(trend: number, sendDelta: number, arrival: number): void {
    const value = Math.min(this.#deltas, MAX_DELTAS) * trend * GAIN
    if (value > this.#threshold) {
      this.#overFor = this.#overFor < 0 ? sendDelta / 2 : this.#overFor + sendDelta
      this.#overs += 1
      if (this.#overFor > PATIENCE && this.#overs > 1 && trend >= this.#before) {
        this.#overFor = 0
        this.#overs = 0
        this.usage = 'over'
      }
    } else {
      this.#overFor = -1
      this.#overs = 0
      this.usage = value < -this.#threshold ? 'under' : 'normal'
    }
    this.#before = trend
    this.#adapt(Math.abs(value), arrival)
  }

  #adapt(value: number, arrival: number): void {
    const elapsed = this.#thresholdAt < 0 ? 0 : Math.min(MAX_STEP, Math.max(0, arrival - this.#thresholdAt))
    this.#thresholdAt = arrival
    if (value > this.#threshold + OUTLIER) return
    const follow = value < this.#threshold ? FOLLOW_DOWN : FOLLOW_UP
    const next = this.#threshold + follow * (value - this.#threshold) * elapsed
    this.#threshold = Math.min(MAX_THRESHOLD, Math.max(MIN_THRESHOLD, next))
  }

  /** Of the line that fits the window best: milliseconds of delay per millisecond. */
  #slope(): number {
    let [timeSum, delaySum] = [0, 0]
    for (let at = 0; at < WINDOW; at++) {
      timeSum += this.#times[at]!
      delaySum += this.#delays[at]!
    }
    const [time, delay] = [timeSum / WINDOW, delaySum / WINDOW]
    let [above, below] = [0, 0]
    for (let at = 0; at < WINDOW; at++) {
      const distance = this.#times[at]! - time
      above += distance * (this.#delays[at]! - delay)
      below += distance * distance
    }
    return below === 0 ? this.#before : above / below
  }
}
