import { createReplayWindow } from '../packet/replay-window.ts'
import type { RtpPacket } from '../rtp/packet.ts'
import type { ReportBlock, SenderReport } from '../rtp/rtcp.ts'
import { unwrapSequence } from '../rtp/unwrap.ts'
import { writeFullIntraRequest, writeNack, writePictureLoss } from '../rtp/write-rtcp.ts'
import type { AcceptedSection } from '../sdp/accept.ts'
import type { ForwardContext } from './forward-context.ts'
import { formatOf, inspectPacket, type IncomingPacket, type PayloadFormat } from './incoming-packet.ts'
import { KeyframeRequests } from './keyframe-requests.ts'
import { LayerRates } from './layer-rates.ts'
import { MissingPackets } from './missing-packets.ts'
import { PacketRing, RING_SIZE } from './packet-ring.ts'
import { ReceiveStatistics } from './receive-statistics.ts'
import { RepeatedSound } from './repeated-sound.ts'

/** Sender reports go on to every viewer, so a publisher can't have more of them than this (ms). */
const SENDER_REPORT_INTERVAL = 500
/** How far a retransmission may be ahead of what has arrived: the original may be on its way. */
const REPAIR_LEAD = 64

/** Ties the layer's RTP clock to the publisher's wall clock. */
export interface ClockReference {
  /** Milliseconds on the publisher's wall clock. */
  readonly wallTime: number
  readonly timestamp: number
  /** The middle 32 bits of the NTP time, for the reports that answer this one. */
  readonly middle: number
  readonly receivedAt: number
}

export interface LayerOptions {
  readonly context: ForwardContext
  readonly section: AcceptedSection
  readonly isEncrypted: boolean
  /** Sound is repeated for viewers who take that. */
  readonly withRedundancy: boolean
  readonly index: number
  /** Of a higher quality. */
  readonly layersAbove: number
  /** Of the stream that the publisher sends. */
  readonly ssrc: number
  /** Sends to the publisher, as this receiver. */
  readonly send: (write: (sender: number) => Buffer) => void
}

/** One stream that a publisher sends: a whole track, or one quality of a simulcast track. */
export class IncomingLayer {
  readonly index: number
  readonly ssrc: number
  readonly statistics: ReceiveStatistics
  readonly missing = new MissingPackets()
  /** Null for sound, which is not sent again. */
  readonly ring: PacketRing | null
  /** Null if nothing is repeated. */
  readonly repeatedSound: RepeatedSound | null
  clock: ClockReference | null = null
  lastPacketAt: number
  /** What its pictures need; null for sound. */
  readonly rates: LayerRates | null
  /** Since when it counts as stopped by its publisher; null for one that sends. */
  stoppedAt: number | null = null
  readonly #context: ForwardContext
  readonly #format: PayloadFormat
  readonly #isEncrypted: boolean
  readonly #send: LayerOptions['send']
  readonly #withNack: boolean
  readonly #keyframes: KeyframeRequests
  /** No number is taken twice, whatever the publisher does: each viewer's copy is encrypted under the number. */
  readonly #arrived = createReplayWindow(RING_SIZE)
  /** Those of them whose content was repeated by a later packet that has overtaken them. */
  readonly #recovered = createReplayWindow(RING_SIZE)
  #highest: number | undefined
  #fullIntraRequests = 0
  /** When the last frames began. */
  readonly #frameTimes = [-Infinity, -Infinity, -Infinity]
  #frames = 0
  #lastFrame = -1

  constructor(options: LayerOptions) {
    const { context, section, isEncrypted, withRedundancy, index, layersAbove, ssrc, send } = options
    const { codec, kind } = section
    this.index = index
    this.ssrc = ssrc
    this.lastPacketAt = context.now()
    this.statistics = new ReceiveStatistics(codec.clockRate, this.lastPacketAt)
    this.rates = kind === 'video' ? new LayerRates(this.lastPacketAt) : null
    this.ring = kind === 'video' ? new PacketRing(layersAbove) : null
    this.repeatedSound = withRedundancy ? new RepeatedSound() : null
    this.#context = context
    this.#format = formatOf(codec.mime)
    this.#isEncrypted = isEncrypted
    this.#send = send
    this.#withNack = kind === 'video' && codec.feedback.includes('nack')
    this.#keyframes = new KeyframeRequests(() => this.#askForKeyframe(codec.feedback))
  }

  /** Null if the packet is a duplicate or too old to be of use. Of a muted track nothing is stored. */
  receive(packet: RtpPacket, isRepaired: boolean, isMuted = false): IncomingPacket | null {
    const now = this.#context.now()
    const highest = this.#highest
    const extended = unwrapSequence(packet.sequenceNumber, highest)
    // Reports are about the path: what had to be sent again was lost on it, and what was overtaken by its repetition was not.
    const wasOvertaken = this.#recovered.has(extended)
    const isUseful = this.#isUseful(extended, isRepaired)
    if (!isRepaired && (isUseful || wasOvertaken)) {
      this.statistics.add(extended, packet.timestamp, packet.payload.length, now)
    }
    if (!isUseful) return null
    this.#arrived.add(extended)
    if (isRepaired && this.repeatedSound) this.#recovered.add(extended)
    this.lastPacketAt = now
    if (highest === undefined || extended > highest) this.#highest = extended
    const incoming = inspectPacket(packet, extended, this.#format, this.#isEncrypted)
    this.rates?.add(incoming.vp8?.temporalLayer ?? 0, incoming.payload.length)
    if (this.rates) this.#noteFrame(packet.timestamp, now)
    if (!isMuted) {
      this.ring?.put(incoming)
      this.repeatedSound?.put(incoming)
    }
    if (this.#withNack && highest !== undefined) this.#track(extended, highest, isRepaired, now)
    if (this.ring && incoming.isEntryPoint) this.#keyframes.satisfied()
    return incoming
  }

  /** The latest packet that has arrived. */
  get highest(): number {
    return this.#highest ?? 0
  }

  requestKeyframe(): void {
    if (this.ring) this.#keyframes.request(this.#context.now())
  }

  /** Returns false if the last report is too recent. */
  onSenderReport(report: SenderReport): boolean {
    const receivedAt = this.#context.now()
    if (this.clock && receivedAt - this.clock.receivedAt < SENDER_REPORT_INTERVAL) return false
    this.clock = {
      wallTime: report.ntpSeconds * 1000 + (report.ntpFraction / 0x1_0000_0000) * 1000,
      timestamp: report.rtpTimestamp,
      middle: ((report.ntpSeconds & 0xffff) * 0x10000 + (report.ntpFraction >>> 16)) >>> 0,
      receivedAt,
    }
    return true
  }

  report(now: number): ReportBlock {
    return this.statistics.report(this.ssrc, this.clock, now)
  }

  /** Whether it has sent a few frames since then. */
  hasSentSince(time: number): boolean {
    return this.#frameTimes.every((at) => at > time)
  }

  tick(now: number): void {
    this.rates?.tick(now)
    this.#keyframes.flush(now)
    if (this.missing.size > 0) this.#nack(now)
  }

  #noteFrame(timestamp: number, now: number): void {
    if (timestamp === this.#lastFrame) return
    this.#lastFrame = timestamp
    this.#frameTimes[this.#frames++ % this.#frameTimes.length] = now
  }

  #isUseful(extended: number, isRepaired: boolean): boolean {
    const highest = this.#highest
    if (isRepaired && (highest === undefined || extended > highest + REPAIR_LEAD)) return false
    return !this.#arrived.has(extended)
  }

  #track(extended: number, highest: number, isRepaired: boolean, now: number): void {
    if (extended > highest + 1) this.missing.add(highest, extended, now)
    else if (extended < highest) this.missing.arrived(extended, isRepaired, now)
    if (this.missing.size > 0) this.#nack(now)
  }

  #nack(now: number): void {
    const lostBefore = this.missing.lost
    const due = this.missing.due(now)
    this.#context.counters.lostIn += this.missing.lost - lostBefore
    if (due.length === 0) return
    const numbers = due.map((extended) => extended & 0xffff)
    this.#send((sender) => writeNack(sender, this.ssrc, numbers))
  }

  #askForKeyframe(feedback: readonly string[]): boolean {
    const withPictureLoss = feedback.includes('nack pli')
    if (!withPictureLoss && !feedback.includes('ccm fir')) return true
    this.#context.counters.keyframeRequests += 1
    if (withPictureLoss) this.#send((sender) => writePictureLoss(sender, this.ssrc))
    else this.#send((sender) => writeFullIntraRequest(sender, this.ssrc, this.#fullIntraRequests++))
    return true
  }
}
