import type { ReportBlock, SenderReport } from '../rtp/rtcp.ts'
import { viewerCodec } from '../sdp/viewer-codec.ts'
import type { Transport } from '../transport/transport.ts'
import type { Quality, Share, Wish } from './allocate.ts'
import type { Downlink } from './downlink.ts'
import type { ForwardContext } from './forward-context.ts'
import type { IncomingLayer } from './incoming-layer.ts'
import type { IncomingPacket } from './incoming-packet.ts'
import type { IncomingTrack } from './incoming-track.ts'
import { fitOf, LayerChoice } from './layer-choice.ts'
import { OutgoingShare } from './outgoing-share.ts'
import { OutgoingStream } from './outgoing-stream.ts'
import { OutgoingTimeline, type Segment } from './outgoing-timeline.ts'
import { qualitiesOf } from './qualities.ts'
import { MOST_REPEATED } from './repeated-sound.ts'
import type { AcceptedExtras, SendStatistics, Subscription, ViewerTarget } from './subscription.ts'
import { TemporalChoice } from './temporal-choice.ts'

/** While a viewer waits for a picture, the publisher is asked again after this time (ms); later if only some pictures fit. */
const KEYFRAME_RETRY = 1000
const SKIMMING_RETRY = 5000
/** More packets than that wait only if what is sent is far too much. */
const MOST_WAITING = 60
/** Packets that a viewer may ask for at once, and how many of them come back with each tick. */
const MAX_REPEATS = 256
const REPEATS_PER_TICK = 25
/** Viewers report every second, or every five for sound (ms). */
const LOSS_IS_CURRENT = 15_000
/** A viewer who loses more than this share of the packets gets each sound as often as possible, others once more. */
const LOSSY = 0.01

export interface OutgoingTrackOptions {
  readonly context: ForwardContext
  readonly track: IncomingTrack
  readonly transport: Transport
  readonly ssrc: number
  readonly repairSsrc: number | null
  readonly firstSequence: number
  /** The bandwidth that all tracks of the viewer share. */
  readonly downlink: Downlink
  readonly onClose: (track: OutgoingTrack) => void
}

export class OutgoingTrack implements Subscription {
  readonly track: IncomingTrack
  readonly ssrc: number
  readonly repairSsrc: number | null
  readonly codec: Subscription['codec']
  readonly repairPayloadType: number | null
  readonly redundantPayloadType: number | null
  isClosed = false
  readonly #options: OutgoingTrackOptions
  readonly #timeline: OutgoingTimeline
  readonly #stream: OutgoingStream
  readonly #choice = new LayerChoice()
  #isStarted = false
  #isPaused = false
  #withRedundancy = false
  readonly #share = new OutgoingShare()
  readonly #temporal = new TemporalChoice()
  #lostLayer: IncomingLayer | null = null
  #repeatsLeft = MAX_REPEATS
  #askedAt = -Infinity
  #fractionLost = 0
  #reportedAt = -Infinity
  #lastReport: { middle: number; sentAt: number } | null = null

  constructor(options: OutgoingTrackOptions) {
    const { track, ssrc, repairSsrc, firstSequence } = options
    const offered = viewerCodec(track.section.codec, track.withRedundancy)
    this.#options = options
    this.track = track
    this.ssrc = ssrc
    this.repairSsrc = repairSsrc
    this.codec = offered.codec
    this.repairPayloadType = offered.repairPayloadType
    this.redundantPayloadType = offered.redundantPayloadType
    this.#timeline = new OutgoingTimeline(offered.codec.clockRate, firstSequence)
    this.#stream = new OutgoingStream({ ...options, ...offered, firstRepairSequence: firstSequence })
  }

  get statistics(): SendStatistics {
    return {
      packets: this.#stream.packets,
      bytes: this.#stream.bytes,
      fractionLost: this.#fractionLost,
      bitrate: this.#stream.bitrate,
      layer: this.#timeline.currentLayer?.index ?? -1,
    }
  }

  /** The highest layer that this viewer has a use for now; -1 for none. */
  get demand(): number {
    if (!this.isReceiving) return -1
    // What the viewer's bandwidth allows changes too often to start and stop layers with it.
    return this.#share.isLimited ? this.#choice.shown(this.track.layers.length, this.track.sizes) : this.#wanted
  }

  get isReceiving(): boolean {
    return this.#isStarted && !this.#isPaused
  }

  get isStarved(): boolean {
    return this.isReceiving && !this.track.isMuted && this.#share.skimming !== null
  }

  /** Whether the viewer says when its packets arrive. */
  get isNumbered(): boolean {
    return this.#stream.isNumbered
  }

  /** Bits per second, with all headers. */
  get bitrateOnLink(): number {
    return this.#stream.bitrateOnLink
  }

  get padding(): OutgoingStream | undefined {
    return this.#isStarted && this.#stream.canPad ? this.#stream : undefined
  }

  /** The share of packets that the viewer misses now, 0 to 1. */
  lossAt(now: number): number {
    return this.isReceiving && now - this.#reportedAt < LOSS_IS_CURRENT ? this.#fractionLost : 0
  }

  start({ withRepair = true, withRedundancy = false, withArrivals = false }: AcceptedExtras = {}): void {
    this.#stream.withRepair = withRepair
    if (withArrivals && (withRepair || this.track.kind === 'audio')) this.#stream.number(this.#options.downlink)
    this.#withRedundancy = withRedundancy
    if (this.#isStarted || this.isClosed) return
    this.#isStarted = true
    this.#changed()
  }

  setPaused(isPaused: boolean): void {
    if (this.#isPaused === isPaused) return
    this.#isPaused = isPaused
    this.interrupt()
    this.#changed()
  }

  setTarget(target: ViewerTarget): void {
    this.#choice.setTarget(target)
    this.#changed()
  }

  /** What comes next begins with a keyframe, and continues the numbers. */
  interrupt(): void {
    this.#timeline.interrupt()
  }

  /** What this picture could use of the viewer's bandwidth; null if nothing. */
  wish(now: number): Wish | null {
    if (this.track.kind === 'audio' || !this.isReceiving || this.track.isMuted) return null
    const { layers, sizes } = this.track
    const qualities = this.#qualities(now)
    if (qualities.length === 0) return null
    return { area: this.#choice.area(layers.length, sizes), qualities, current: this.#share.placeIn(qualities) }
  }

  /** What it gets; null for no limit. */
  allow(share: Share | null, now: number): void {
    const wantedBefore = this.#wanted
    const { isLimited, skimming } = this.#share
    this.#share.set(share, this.#qualities(now).at(-1), now)
    const isWhole = skimming !== null && this.#share.skimming === null
    if (this.#wanted !== wantedBefore || isWhole) this.#askForLayer(now)
    if (isLimited !== this.#share.isLimited) this.track.updateDemand()
  }

  close(): void {
    if (this.isClosed) return
    this.isClosed = true
    this.#isStarted = false
    this.#stream.close()
    this.#options.onClose(this)
    this.track.remove(this)
  }

  forward(layer: IncomingLayer, packet: IncomingPacket, now: number): void {
    if (!this.#isStarted || this.#isPaused || this.#options.transport.state !== 'connected') return
    const timeline = this.#timeline
    if (packet.isEntryPoint && timeline.canBegin(layer, packet.extended) && this.#mayBegin(layer, now)) {
      const segment = timeline.begin(layer, packet, now)
      this.#temporal.begin(packet, this.#share.temporalIn(layer.index))
      this.#send(segment, packet, now)
      this.#catchUp(segment, now)
      return
    }
    const segment = timeline.find(layer, packet.extended)
    if (segment && !(this.track.kind === 'video' && this.#leavesOut(segment, packet, now)))
      this.#send(segment, packet, now)
  }

  /** The publisher's clocks, translated to what this viewer sees. */
  onSenderReport(layer: IncomingLayer, report: SenderReport, now: number): void {
    const rtpTimestamp = this.#isStarted ? this.#timeline.translate(layer, report.rtpTimestamp) : null
    if (rtpTimestamp === null || !layer.clock) return
    this.#lastReport = { middle: layer.clock.middle, sentAt: now }
    this.#stream.report(report, rtpTimestamp, this.track.cname)
  }

  /** Returns the round-trip time, if the report tells it. */
  onReport(report: ReportBlock, now: number): number | null {
    this.#fractionLost = report.fractionLost / 256
    this.#reportedAt = now
    const { layers } = this.track
    const before = this.#wanted
    this.#choice.onLoss(this.#fractionLost, this.#timeline.currentLayer?.index ?? 0, layers.length, now)
    if (this.#wanted !== before) this.#changed()
    const last = this.#lastReport
    if (!last || report.lastReport !== last.middle) return null
    return Math.max(0, now - last.sentAt - (report.delaySinceLastReport * 1000) / 65536)
  }

  onPictureLoss(): void {
    const layer = this.#timeline.currentLayer ?? this.#bestLayer(this.#options.context.now())
    if (this.#isStarted && !this.#isPaused) layer?.requestKeyframe()
  }

  /** Sends packets again, as far as they are still there. */
  onNack(missing: Iterable<number>): void {
    if (!this.#isStarted || this.#isPaused || this.track.isMuted) return
    const { context, downlink } = this.#options
    const now = context.now()
    for (const sequenceNumber of missing) {
      // Those that are no longer there count too: looking for them takes time.
      if (this.#repeatsLeft <= 0) return
      this.#repeatsLeft -= 1
      const found = this.#timeline.locate(sequenceNumber)
      const stored = found?.segment.layer.ring?.get(found.extended)
      if (!found || !stored) continue
      // Another layer has begun since, with a keyframe.
      const isObsolete = downlink.isLimited && found.segment.layer !== this.#timeline.currentLayer
      if (isObsolete || (this.isNumbered && !downlink.takeRepeat(stored.size, now))) continue
      this.#stream.repeat(found.segment, stored, sequenceNumber)
    }
  }

  tick(now: number): void {
    this.#repeatsLeft = Math.min(MAX_REPEATS, this.#repeatsLeft + REPEATS_PER_TICK)
    this.#stream.tick(now)
    const isOverdue = now - this.#askedAt >= (this.#share.skimming ? SKIMMING_RETRY : KEYFRAME_RETRY)
    if (isOverdue || this.#hasLostLayer(now)) this.#askForLayer(now)
  }

  #send(segment: Segment, packet: IncomingPacket, now: number): void {
    const sequenceNumber = this.#timeline.sent(segment, packet, now)
    const { downlink } = this.#options
    this.#share.skimming?.take(packet.payload.length)
    if (this.track.kind === 'video' && this.isNumbered && downlink.mustWait(now)) {
      downlink.wait({ send: () => this.#sendLater(segment, packet.extended, sequenceNumber) })
      return
    }
    const redundant = this.#withRedundancy ? this.#repeating(segment.layer, packet, now) : null
    if (redundant === null) this.#stream.send(segment, packet, packet.payload, sequenceNumber)
    else this.#stream.send(segment, packet, redundant, sequenceNumber, this.redundantPayloadType ?? undefined)
  }

  #sendLater(segment: Segment, extended: number, sequenceNumber: number): void {
    if (this.isClosed || this.#isPaused || this.track.isMuted) return
    const stored = segment.layer.ring?.get(extended)
    if (stored) this.#stream.sendStored(segment, stored, sequenceNumber)
  }

  /** Whether a packet isn't sent because its picture is one too many for the viewer. Decided for whole pictures. */
  #leavesOut(segment: Segment, packet: IncomingPacket, now: number): boolean {
    const { layer } = segment
    // One that comes late has its place among those that were sent.
    if (layer !== this.#timeline.currentLayer || packet.extended < layer.highest) return false
    if (this.#temporal.isNext(packet)) {
      if (this.#isTooMuch(layer, now)) {
        this.interrupt()
        return true
      }
      this.#temporal.next(packet, this.#share.temporalIn(layer.index))
    }
    if (this.#temporal.takes(packet)) return false
    this.#timeline.skip(segment, packet)
    return true
  }

  /** Whether to stop until the next keyframe. */
  #isTooMuch({ index }: IncomingLayer, now: number): boolean {
    if (this.#share.skimming?.isExhausted(now)) return true
    return this.#share.isTooHigh(index) && this.#options.downlink.waiting > MOST_WAITING
  }

  #mayBegin(layer: IncomingLayer, now: number): boolean {
    return this.#prefers(layer, now) && (this.#share.skimming?.mayBegin(now) ?? true)
  }

  /** From the lowest to the highest that the viewer has a use for. */
  #qualities(now: number): Quality[] {
    const { layers, sizes } = this.track
    return qualitiesOf(this.track, this.#choice.shown(layers.length, sizes), now)
  }

  #repeating({ repeatedSound }: IncomingLayer, packet: IncomingPacket, now: number): Buffer | null {
    return repeatedSound?.before(packet, this.lossAt(now) > LOSSY ? MOST_REPEATED : 1) ?? null
  }

  /** Packets that overtook the one that the segment begins with. */
  #catchUp(segment: Segment, now: number): void {
    const { ring, highest } = segment.layer
    if (!ring) return
    for (let extended = segment.firstIn + 1; extended <= highest; extended++) {
      const stored = ring.get(extended)
      if (stored) this.#stream.sendStored(segment, stored, this.#timeline.sent(segment, stored, now))
    }
  }

  get #wanted(): number {
    return this.#share.layer ?? this.#choice.wanted(this.track.layers.length, this.track.sizes)
  }

  #changed(): void {
    this.#askForLayer(this.#options.context.now())
    this.track.updateDemand()
  }

  /** Only a keyframe lets this viewer change to the layer that fits best. */
  #askForLayer(now: number): void {
    if (this.track.kind === 'audio' || this.track.isMuted || this.demand === -1) return
    if (this.#options.transport.state !== 'connected') return
    const best = this.#bestLayer(now)
    if (!best || best === this.#timeline.currentLayer) return
    if (this.#share.skimming?.isRested(now) === false) return
    this.#askedAt = now
    best.requestKeyframe()
  }

  #bestLayer(now: number): IncomingLayer | null {
    const wanted = this.#wanted
    let best: IncomingLayer | null = null
    for (const layer of this.track.layers) {
      if (!layer || !this.track.isLive(layer, now)) continue
      if (!best || fitOf(layer.index, wanted) > fitOf(best.index, wanted)) best = layer
    }
    return best
  }

  /** Whether the publisher has stopped what the viewer gets, since the last call. */
  #hasLostLayer(now: number): boolean {
    const current = this.#timeline.currentLayer
    const isLost = current !== null && !this.track.isLive(current, now)
    const isNew = isLost && current !== this.#lostLayer
    this.#lostLayer = isLost ? current : null
    return isNew
  }

  #prefers(layer: IncomingLayer, now: number): boolean {
    const current = this.#timeline.currentLayer
    if (!current || !this.track.isLive(current, now)) return true
    const wanted = this.#wanted
    return fitOf(layer.index, wanted) > fitOf(current.index, wanted)
  }
}
