import { visitArrivals } from '../rtp/transport-feedback.ts'
import { ArrivalGroups } from './arrival-groups.ts'
import { DelayTrend, type LinkUsage } from './delay-trend.ts'
import { LossControl } from './loss-control.ts'
import { Probes, type ProbeResult } from './probes.ts'
import { QueueingDelay } from './queueing-delay.ts'
import { MIN_BITRATE, RateControl } from './rate-control.ts'
import { ReceivedRate } from './received-rate.ts'
import { SendHistory } from './send-history.ts'

/** Bits per second, until the first probe has a result. */
const START = 1_000_000
/** What has been overtaken by packets that were sent this much later (ms) is lost, and not only late. */
const REORDERING = 100
/** Without any feedback for this long (ms), or for a few round trips, nothing arrives. */
const SILENCE = 1000
/** A receiver that goes on with other reports this often, without feedback, no longer sends any. */
const REPORTS_INSTEAD = 5
/** A queue of this length (ms) is emptied before as much is sent as the link carries. */
const LONG_QUEUE = 400
const DRAIN = 0.6
/** The arrival times of feedback wrap after 2^24 units of 64 ms. */
const CYCLE = 2 ** 30

/**
 * What the path to a receiver carries, from its transport-wide feedback: Google Congestion Control (draft-ietf-rmcat-gcc) with
 * probes, and with a loss control that tells random loss from congestion.
 */
export class BandwidthEstimator {
  /** Whether the receiver has sent feedback. Until then, nothing is known. */
  hasFeedback = false
  /** Milliseconds; includes the time until the receiver sends feedback. */
  roundTripTime = 200
  readonly probes = new Probes()
  readonly #history = new SendHistory()
  readonly #groups = new ArrivalGroups()
  readonly #trend = new DelayTrend()
  readonly #received = new ReceivedRate()
  readonly #rate = new RateControl(START)
  readonly #loss = new LossControl()
  readonly #queue = new QueueingDelay()
  #feedbackAt = 0
  #latest = -1
  /** As the receiver counts them. */
  #messages = 0
  #reportsInstead = 0
  #lastArrival: number | null = null
  #cycles = 0
  /** Whether nothing arrives, as far as anyone knows. */
  isSilent = false
  #isFirstProbe = true
  readonly #visit = (sequenceNumber: number, arrival: number): void => this.#arrived(sequenceNumber, arrival)

  /** Bits per second, with the headers of UDP and IP. */
  get bitrate(): number {
    if (this.isSilent) return MIN_BITRATE
    const bitrate = Math.min(this.#rate.bitrate, this.#loss.limit)
    return this.#queue.current > LONG_QUEUE ? bitrate * DRAIN : bitrate
  }

  /** Milliseconds that packets wait on their way. */
  get queueingDelay(): number {
    return this.#queue.current
  }

  /** The share of packets that were lost lately, 0 to 1. */
  get loss(): number {
    return this.#loss.share
  }

  get isOverused(): boolean {
    return this.#trend.usage === 'over'
  }

  /** A packet of this size is sent now. Returns its transport-wide sequence number. */
  sent(size: number, now: number): number {
    const probe = this.probes.activeAt(now)
    if (probe !== 0) this.probes.sent(size, now)
    return this.#history.add(size, now, probe)
  }

  /** Takes the content of a feedback message. Returns whether less should be sent from now on. */
  onFeedback(content: Buffer, now: number): boolean {
    this.#feedbackAt = now
    this.#latest = -1
    visitArrivals(content, this.#visit)
    if (this.#latest < 0) return false
    if (content[7] !== ((this.#messages + 1) & 0xff)) this.#history.doubt()
    this.#messages = content[7] ?? 0
    this.#history.reported(content.readUInt16BE(0), content.readUInt16BE(2))
    if (this.isSilent) this.#resume()
    this.hasFeedback = true
    const newest = this.#history.sentAt(this.#latest)
    this.roundTripTime += 0.2 * (Math.max(0, now - newest) - this.roundTripTime)
    this.#loss.lost(this.#history.settle(newest - REORDERING))
    const before = this.bitrate
    this.#rate.update(this.#usage(), this.#received, this.roundTripTime, now)
    this.#loss.update(this.#rate.bitrate, now)
    return this.bitrate < before * 0.95
  }

  /** The receiver is there: another report of it has come. */
  onReport(): void {
    if (!this.isSilent) return
    this.#reportsInstead += 1
    if (this.#reportsInstead < REPORTS_INSTEAD) return
    this.hasFeedback = false
    this.#resume()
  }

  /** What a probe has shown, once it is known. */
  takeProbe(now: number): ProbeResult | null {
    const result = this.probes.take(now)
    if (result?.bitrate === null || result === null) return result
    // The first one knows more than the guess that it replaces.
    if (result.bitrate > this.#rate.bitrate || this.#isFirstProbe) {
      this.#rate.set(result.bitrate)
      this.#loss.allow(result.bitrate)
    }
    this.#isFirstProbe = false
    return result
  }

  /** To be called several times a second: notices when feedback stops coming. */
  tick(now: number): void {
    if (!this.hasFeedback || this.isSilent) return
    const since = this.#history.waitingSince
    if (since === null || now - since < Math.max(SILENCE, this.roundTripTime * 4)) return
    if (now - this.#feedbackAt < Math.max(SILENCE, this.roundTripTime * 4)) return
    this.isSilent = true
    this.probes.drop()
  }

  /** With much jitter, the delay seems to grow at times although there is no queue. */
  #usage(): LinkUsage {
    const { usage } = this.#trend
    this.#queue.measure()
    if (this.#queue.isGrowing) return 'over'
    return usage === 'over' && !this.#queue.isStanding ? 'normal' : usage
  }

  #arrived(sequenceNumber: number, wrapped: number): void {
    const extended = this.#history.find(sequenceNumber)
    if (extended === null) return
    const arrival = this.#unwrap(wrapped)
    const before = this.#history.arrived(extended)
    if (before === 'arrived') return
    this.#latest = Math.max(this.#latest, extended)
    const size = this.#history.sizeOf(extended)
    const sentAt = this.#history.sentAt(extended)
    const probe = this.#history.probeOf(extended)
    this.#loss.arrived(size, before === 'lost')
    this.#received.add(arrival, size)
    this.#queue.add(sentAt, arrival)
    if (probe !== 0) this.probes.arrived(probe, sentAt, arrival)
    else if (this.#groups.add(sentAt, arrival)) {
      const { sendDelta, arrivalDelta, arrivedAt } = this.#groups
      this.#trend.add(sendDelta, arrivalDelta, arrivedAt)
    }
  }

  #unwrap(arrival: number): number {
    const last = this.#lastArrival ?? arrival
    this.#lastArrival = arrival
    if (arrival - last > CYCLE / 2) this.#cycles -= 1
    else if (last - arrival > CYCLE / 2) this.#cycles += 1
    return arrival + this.#cycles * CYCLE
  }

  /** After an interruption the link is as before, as far as anyone knows. What was lost in between was not our fault. */
  #resume(): void {
    this.isSilent = false
    this.#reportsInstead = 0
    this.#history.forget()
    this.#groups.reset()
    this.#trend.reset()
    this.#received.reset()
    this.#loss.reset()
    this.#queue.reset()
  }
}
