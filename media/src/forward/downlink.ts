import { BandwidthEstimator } from '../congestion/bandwidth-estimator.ts'
import { ProbePlan } from '../congestion/probe-plan.ts'
import type { ForwardContext } from './forward-context.ts'
import { Pacer, type PacedPacket } from './pacer.ts'

/** The bytes of a packet around its payload: RTP with the transport-wide number, SRTP, UDP and IP. */
export const PACKET_OVERHEAD = 20 + 16 + 28
/** While nothing arrives, a packet is sent this often (ms) to see whether it does again. */
const PING_INTERVAL = 300
/** Probes for a viewer who has never said what arrives. */
const MOST_UNANSWERED = 3

/** Sends packets that contain nothing. */
export interface PaddingStream {
  /** Returns the size of the packet. */
  pad(): number
}

/** The bandwidth towards one viewer: what it is, and that it isn't exceeded. */
export class Downlink {
  /** Bits per second that would be of use; 0 if nothing is limited by the bandwidth. */
  wanted = 0
  /** Whether the viewer gets less than that. */
  isLimited = false
  readonly #context: ForwardContext
  readonly #padding: () => PaddingStream | undefined
  readonly #estimator = new BandwidthEstimator()
  readonly #plan = new ProbePlan()
  readonly #pacer = new Pacer()
  #estimateBefore = 0
  #pingedAt = 0
  #unanswered = 0

  constructor(context: ForwardContext, padding: () => PaddingStream | undefined) {
    this.#context = context
    this.#padding = padding
  }

  /** Whether the viewer says what arrives. */
  get isMeasured(): boolean {
    return this.#estimator.hasFeedback
  }

  /** Bits per second, with all headers. */
  get bitrate(): number {
    return this.#estimator.bitrate
  }

  /** How many packets wait for their turn. */
  get waiting(): number {
    return this.#pacer.waiting
  }

  /** A packet with a payload of this size is sent now. Returns its transport-wide number. */
  sent(payloadSize: number): number {
    const size = payloadSize + PACKET_OVERHEAD
    this.#pacer.sent(size)
    return this.#estimator.sent(size, this.#context.now())
  }

  /** Whether a picture's packet has to wait for others. */
  mustWait(now: number): boolean {
    return this.isMeasured && !this.#pacer.isFree(now)
  }

  wait(packet: PacedPacket): void {
    this.#pacer.add(packet)
    this.#context.pace(this)
  }

  /** Whether a packet with a payload of this size may be sent again. If so, it is. */
  takeRepeat(payloadSize: number, now: number): boolean {
    return !this.isMeasured || this.#pacer.takeRepeat(payloadSize + PACKET_OVERHEAD, now)
  }

  /** Returns whether less should be sent from now on. */
  onFeedback(content: Buffer, now: number): boolean {
    const isLess = this.#estimator.onFeedback(content, now)
    this.#pacer.setRate(this.bitrate, this.isLimited)
    if (isLess) this.#plan.postpone(now)
    return isLess
  }

  /** A receiver report has come. */
  onReport(): void {
    this.#estimator.onReport()
  }

  /** Returns whether the bandwidth is known to be higher than before. */
  tick(now: number): boolean {
    const estimator = this.#estimator
    estimator.tick(now)
    if (estimator.isSilent && now - this.#pingedAt >= PING_INTERVAL) {
      this.#pingedAt = now
      this.#padding()?.pad()
    }
    const result = estimator.takeProbe(now)
    if (result) this.#plan.onResult(result, this.#estimateBefore, now)
    this.#startProbe(now)
    this.#pacer.setRate(this.bitrate, this.isLimited)
    return (result?.bitrate ?? 0) > this.#estimateBefore
  }

  /** Sends what is due. Returns whether there will be more. */
  pace(now: number): boolean {
    this.#pacer.run(now)
    const { probes } = this.#estimator
    this.#pad(probes.due(now))
    return this.#pacer.waiting > 0 || probes.activeAt(now) !== 0
  }

  #pad(bytes: number): void {
    const padding = this.#padding()
    if (!padding) return
    for (let due = bytes; due > 0;) due -= padding.pad()
  }

  #startProbe(now: number): void {
    const { bitrate: estimate, isOverused, queueingDelay, probes, isSilent } = this.#estimator
    if (isSilent || probes.isUnderWay || !this.#padding()) return
    if (!this.isMeasured && this.#unanswered >= MOST_UNANSWERED) return
    const next = this.#plan.next({ estimate, wanted: this.wanted, isOverused, queueingDelay }, now)
    if (next === null) return
    this.#estimateBefore = estimate
    this.#unanswered = this.isMeasured ? 0 : this.#unanswered + 1
    probes.start(next, now)
    this.#context.pace(this)
  }
}
