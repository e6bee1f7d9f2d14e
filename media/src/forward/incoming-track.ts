import { readAudioLevel } from '../rtp/audio-level.ts'
import { readExtension, type RtpPacket } from '../rtp/packet.ts'
import { readRed } from '../rtp/red.ts'
import type { ReportBlock, SenderReport } from '../rtp/rtcp.ts'
import { layerCount, type AcceptedSection } from '../sdp/accept.ts'
import { AudioLevelWindow } from './audio-level-window.ts'
import type { ForwardContext } from './forward-context.ts'
import { IncomingLayer, type LayerOptions } from './incoming-layer.ts'
import type { OutgoingTrack } from './outgoing-track.ts'
import type { AudioLevel, PublishedTrack, PublishedTrackOptions, TrackStatistics } from './published-track.ts'

/** A layer that has sent nothing for this long (ms) has been switched off by its publisher. */
const LIVE = 3000
/** It is known sooner if other layers have sent several frames since. */
const STOPPED = 250
/** A layer that has stopped, and comes back sooner than this (ms), isn't trusted yet: each change needs a keyframe. */
const TRUST = 2000

export interface IncomingTrackOptions extends PublishedTrackOptions {
  readonly context: ForwardContext
  /** Names the publisher in reports to viewers. */
  readonly cname: string
  readonly send: LayerOptions['send']
  readonly onClose: (track: IncomingTrack) => void
}

export class IncomingTrack implements PublishedTrack {
  readonly section: AcceptedSection
  readonly kind: 'audio' | 'video'
  readonly cname: string
  readonly withRedundancy: boolean
  /** From the lowest to the highest; null until its first packet. */
  readonly layers: (IncomingLayer | null)[]
  sizes: NonNullable<PublishedTrackOptions['sizes']>
  isMuted: boolean
  isClosed = false
  demand = -1
  readonly #options: IncomingTrackOptions
  readonly #level = new AudioLevelWindow()
  #subscriptions: OutgoingTrack[] = []

  constructor(section: AcceptedSection, options: IncomingTrackOptions) {
    this.section = section
    this.kind = section.kind
    this.cname = options.cname
    this.layers = Array.from({ length: layerCount(section) }, () => null)
    this.sizes = options.sizes ?? []
    this.isMuted = options.isMuted ?? false
    this.withRedundancy = section.kind === 'audio' && !options.isEncrypted && options.withRedundancy !== false
    this.#options = options
  }

  get statistics(): TrackStatistics {
    const live = this.layers.flatMap((layer) => layer ?? [])
    const sum = (read: (layer: IncomingLayer) => number): number => live.reduce((total, each) => total + read(each), 0)
    const worst = (read: (layer: IncomingLayer) => number): number => Math.max(0, ...live.map(read))
    return {
      packets: sum(({ statistics }) => statistics.packets),
      bytes: sum(({ statistics }) => statistics.bytes),
      lost: sum(({ ring, missing, statistics }) => (ring ? missing.lost : statistics.lost)),
      fractionLost: worst(({ statistics }) => statistics.fractionLost),
      jitter: worst(({ statistics }) => statistics.jitter),
      bitrate: sum(({ statistics }) => statistics.bitrate),
    }
  }

  setMuted(isMuted: boolean): void {
    if (this.isMuted === isMuted) return
    this.isMuted = isMuted
    this.#level.take()
    for (const subscription of this.#subscriptions) subscription.interrupt()
    if (!isMuted) this.requestKeyframe()
  }

  setSizes(sizes: NonNullable<PublishedTrackOptions['sizes']>): void {
    this.sizes = sizes
    this.updateDemand()
  }

  requestKeyframe(): void {
    for (const layer of this.layers) layer?.requestKeyframe()
  }

  takeAudioLevel(): AudioLevel | null {
    return this.#level.take()
  }

  close(): void {
    if (this.isClosed) return
    this.isClosed = true
    for (const subscription of this.#subscriptions.slice()) subscription.close()
    this.#options.onClose(this)
  }

  /** A stream of this track: its first, or one that follows another with a new ssrc. */
  bind(index: number, ssrc: number): IncomingLayer {
    const { context, isEncrypted = false, send } = this.#options
    const { section } = this
    const layersAbove = this.layers.length - 1 - index
    const { withRedundancy } = this
    const layer = new IncomingLayer({ context, section, isEncrypted, withRedundancy, index, layersAbove, ssrc, send })
    this.layers[index] = layer
    return layer
  }

  receive(layer: IncomingLayer, packet: RtpPacket, isRepaired: boolean): void {
    const incoming = layer.receive(packet, isRepaired, this.isMuted)
    if (!incoming || this.isMuted) return
    if (this.kind === 'audio') {
      this.#level.add(readAudioLevel(readExtension(packet, this.section.extensions.audioLevel)))
    }
    const at = this.#options.context.now()
    for (const subscription of this.#subscriptions) subscription.forward(layer, incoming, at)
  }

  /** Takes a packet that repeats earlier sound, for those that were lost. Returns false if it is malformed. */
  receiveRedundant(layer: IncomingLayer, packet: RtpPacket): boolean {
    const packets = readRed(packet, this.section.codec.payloadType)
    const own = packets?.pop()
    if (!packets || !own) return false
    for (const earlier of packets) this.receive(layer, earlier, true)
    this.receive(layer, own, false)
    return true
  }

  onSenderReport(layer: IncomingLayer, report: SenderReport): void {
    if (!layer.onSenderReport(report) || this.isMuted) return
    const at = this.#options.context.now()
    for (const subscription of this.#subscriptions) subscription.onSenderReport(layer, report, at)
  }

  /** With a single layer there is no other to take. */
  isLive(layer: IncomingLayer, now: number): boolean {
    if (this.layers[layer.index] !== layer) return false
    if (this.layers.length === 1) return true
    const silence = now - layer.lastPacketAt
    if (layer.stoppedAt === null) return silence < LIVE
    return silence < STOPPED && now - layer.stoppedAt >= TRUST
  }

  add(subscription: OutgoingTrack): void {
    this.#subscriptions = [...this.#subscriptions, subscription]
  }

  /** Makes a new list, because this may happen while the old one is walked through. */
  remove(subscription: OutgoingTrack): void {
    this.#subscriptions = this.#subscriptions.filter((each) => each !== subscription)
    this.updateDemand()
  }

  updateDemand(): void {
    const demand = this.#subscriptions.reduce((highest, each) => Math.max(highest, each.demand), -1)
    if (demand === this.demand) return
    this.demand = demand
    this.#options.onDemand?.(demand)
  }

  /**
   * What the publisher hears of its streams. For the loss that it hears of, an encoder of sound adds forward error correction
   * (FEC), which all listeners get: so it hears the worst loss of any of them.
   */
  report(now: number): ReportBlock[] {
    const blocks = this.layers.flatMap((layer) => layer?.report(now) ?? [])
    if (this.kind === 'video') return blocks
    const worst = this.#subscriptions.reduce((loss, each) => Math.max(loss, each.lossAt(now)), 0)
    return blocks.map((block) => ({ ...block, fractionLost: Math.max(block.fractionLost, Math.floor(worst * 256)) }))
  }

  tick(now: number): void {
    for (const layer of this.layers) layer?.tick(now)
    if (this.layers.length > 1) this.#watchLayers(now)
  }

  /** Notices layers that the publisher has stopped, or sends again. */
  #watchLayers(now: number): void {
    for (const layer of this.layers) {
      if (!layer) continue
      if (layer.stoppedAt !== null && this.isLive(layer, now)) layer.stoppedAt = null
      if (layer.stoppedAt !== null || now - layer.lastPacketAt < STOPPED) continue
      const { lastPacketAt } = layer
      if (this.layers.some((other) => other !== layer && other?.hasSentSince(lastPacketAt))) layer.stoppedAt = now
    }
  }
}
