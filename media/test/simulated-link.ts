import { BandwidthEstimator } from '../src/congestion/bandwidth-estimator.ts'
import { ProbePlan } from '../src/congestion/probe-plan.ts'
import { ArrivalLog } from '../src/forward/arrival-log.ts'
import { createDirection, createReturn, type BadNetwork, type NetworkDirection } from './network-direction.ts'

const STEP = 5
const FEEDBACK_INTERVAL = 100
const PACKET = 1200

interface Underway {
  readonly at: number
  readonly deliver: () => void
}

/** A sender that sends as much as its estimate and what it has allow, over a network in virtual time. */
export class SimulatedLink {
  readonly estimator = new BandwidthEstimator()
  now = 1000
  /** What there is to send, in bits per second. */
  wanted: number
  /** Bytes that have arrived. */
  arrived = 0
  /** Milliseconds that the last packet has taken. */
  delay = 0
  readonly #plan = new ProbePlan()
  readonly #log = new ArrivalLog()
  #direction: NetworkDirection
  #return: NetworkDirection
  #underWay: Underway[] = []
  #owed = 0
  #feedbackAt = 0
  #estimateBefore = 0

  constructor(network: BadNetwork, wanted: number) {
    this.#direction = createDirection(network)
    this.#return = createReturn(network)
    this.wanted = wanted
  }

  set network(network: BadNetwork) {
    this.#direction = createDirection(network)
    this.#return = createReturn(network)
  }

  /** The way that the feedback takes. */
  set returnNetwork(network: BadNetwork) {
    this.#return = createReturn(network)
  }

  /** Lets time pass. Returns how much has arrived, in bits per second. */
  run(seconds: number): number {
    const before = this.arrived
    const end = this.now + seconds * 1000
    while (this.now < end) this.#step()
    return ((this.arrived - before) * 8) / seconds
  }

  /** The seconds until the estimate passes this; at most the given time. */
  secondsUntil(reached: (estimate: number) => boolean, atMost = 60): number {
    const start = this.now
    while (!reached(this.estimator.bitrate) && this.now - start < atMost * 1000) this.#step()
    return (this.now - start) / 1000
  }

  #step(): void {
    const { estimator } = this
    this.now += STEP
    for (const { deliver } of this.#due()) deliver()
    estimator.tick(this.now)
    this.#probe()
    this.#owed += (Math.min(estimator.bitrate, this.wanted) * STEP) / 8000
    for (; this.#owed >= PACKET; this.#owed -= PACKET) this.#send(PACKET)
    if (this.now >= this.#feedbackAt && this.#log.isDue) this.#giveFeedback()
  }

  #probe(): void {
    const { estimator, wanted } = this
    const result = estimator.takeProbe(this.now)
    if (result) this.#plan.onResult(result, this.#estimateBefore, this.now)
    const { bitrate: estimate, isOverused, queueingDelay } = estimator
    const next = this.#plan.next({ estimate, wanted, isOverused, queueingDelay }, this.now)
    if (next !== null && !estimator.probes.isUnderWay) {
      this.#estimateBefore = estimate
      estimator.probes.start(next, this.now)
    }
    for (let due = estimator.probes.due(this.now); due > 0; due -= 300) this.#send(300)
  }

  #send(size: number): void {
    const number = this.estimator.sent(size, this.now)
    const sentAt = this.now
    const delay = this.#direction(size, sentAt)
    if (delay === null) return
    const at = sentAt + delay
    this.#underWay.push({
      at,
      deliver: () => {
        this.arrived += size
        this.delay = at - sentAt
        this.#log.add(number, at)
      },
    })
  }

  #giveFeedback(): void {
    this.#feedbackAt = this.now + FEEDBACK_INTERVAL
    for (const content of this.#log.take()) {
      const deliver = (): void => {
        if (this.estimator.onFeedback(content, this.now)) this.#plan.postpone(this.now)
      }
      const delay = this.#return(content.length, this.now)
      if (delay !== null) this.#underWay.push({ at: this.now + delay, deliver })
    }
  }

  #due(): Underway[] {
    const due = this.#underWay.filter(({ at }) => at <= this.now).sort((a, b) => a.at - b.at)
    this.#underWay = this.#underWay.filter(({ at }) => at > this.now)
    return due
  }
}
