import { randomInt } from 'node:crypto'
import { readRtcp } from '../rtp/read-rtcp.ts'
import type { ReportBlock, RtcpPacket } from '../rtp/rtcp.ts'
import type { Transport } from '../transport/transport.ts'
import { allocate, type Wish } from './allocate.ts'
import { Downlink } from './downlink.ts'
import type { ForwardContext } from './forward-context.ts'
import { IncomingTrack } from './incoming-track.ts'
import type { OutgoingStream } from './outgoing-stream.ts'
import { OutgoingTrack } from './outgoing-track.ts'
import type { PublishedTrack } from './published-track.ts'
import type { Subscription } from './subscription.ts'
import type { Viewer } from './viewer.ts'

/** How often (ms) the bandwidth is divided among the tracks. When it shrinks, that happens at once. */
const ALLOCATION_INTERVAL = 100
/** Some is left for what is sent again. */
const RESERVE = 0.97
/** More than what is sent has to fit before something better is tried, so a little more is looked for. */
const HEADROOM = 1.3

export class OutgoingConnection implements Viewer {
  readonly #context: ForwardContext
  readonly #transport: Transport
  readonly #onClose: (connection: OutgoingConnection) => void
  readonly #tracks = new Map<number, OutgoingTrack>()
  readonly #downlink: Downlink
  #allocatedAt = -Infinity
  #lastSsrc = randomInt(1, 0xffffffff)
  roundTripTime: number | null = null

  constructor(context: ForwardContext, transport: Transport, onClose: (connection: OutgoingConnection) => void) {
    this.#context = context
    this.#transport = transport
    this.#onClose = onClose
    this.#downlink = new Downlink(context, () => this.#padding())
    transport.onRtcp = (compound) => {
      for (const packet of readRtcp(compound)) this.#onRtcp(packet)
    }
  }

  get isLimited(): boolean {
    return this.#downlink.isLimited
  }

  subscribe(track: PublishedTrack): Subscription {
    if (!(track instanceof IncomingTrack)) throw new TypeError('the track is not published here')
    const subscription = new OutgoingTrack({
      context: this.#context,
      transport: this.#transport,
      track,
      ssrc: this.#newSsrc(),
      repairSsrc: track.kind === 'video' ? this.#newSsrc() : null,
      firstSequence: randomInt(0, 0x8000),
      downlink: this.#downlink,
      onClose: ({ ssrc }) => this.#tracks.delete(ssrc),
    })
    this.#tracks.set(subscription.ssrc, subscription)
    track.add(subscription)
    return subscription
  }

  close(): void {
    for (const track of this.#tracks.values()) track.close()
    this.#transport.onRtcp = () => {}
    this.#onClose(this)
  }

  tick(now: number): void {
    for (const track of this.#tracks.values()) track.tick(now)
    if (this.#transport.state !== 'connected' || !this.#hasNumbers()) return
    const isMore = this.#downlink.tick(now)
    if (isMore || now - this.#allocatedAt >= ALLOCATION_INTERVAL) this.#allocate(now)
  }

  #onRtcp(packet: RtcpPacket): void {
    if (packet.type === 'receiver-report' || packet.type === 'sender-report') this.#onReports(packet.reports)
    else if (packet.type === 'transport-feedback') this.#onArrivals(packet.content)
    else if (packet.type === 'nack') this.#tracks.get(packet.ssrc)?.onNack(packet.missing)
    else if (packet.type === 'picture-loss') this.#tracks.get(packet.ssrc)?.onPictureLoss()
    else if (packet.type === 'full-intra-request') {
      for (const { ssrc } of packet.requests) this.#tracks.get(ssrc)?.onPictureLoss()
    }
  }

  #onReports(reports: readonly ReportBlock[]): void {
    const now = this.#context.now()
    this.#downlink.onReport()
    for (const report of reports) {
      const time = this.#tracks.get(report.ssrc)?.onReport(report, now) ?? null
      if (time !== null) this.roundTripTime = time
    }
  }

  #onArrivals(content: Buffer): void {
    const now = this.#context.now()
    if (this.#hasNumbers() && this.#downlink.onFeedback(content, now)) this.#allocate(now)
  }

  /** Divides the bandwidth: sound has its part already. */
  #allocate(now: number): void {
    this.#allocatedAt = now
    const pictures: OutgoingTrack[] = []
    const wishes: Wish[] = []
    let sound = 0
    let isMeasured = this.#downlink.isMeasured
    for (const track of this.#tracks.values()) {
      if (track.track.kind === 'audio') {
        if (track.isNumbered) sound += track.bitrateOnLink
        continue
      }
      const wish = track.wish(now)
      if (!wish) continue
      // What says nothing about its arrival can't be part of it.
      if (!track.isNumbered) isMeasured = false
      pictures.push(track)
      wishes.push(wish)
    }
    const best = wishes.reduce((sum, { qualities }) => sum + qualities.at(-1)!.bitrate, 0)
    this.#downlink.wanted = best === 0 ? 0 : best * HEADROOM + sound
    const shares = isMeasured ? allocate(this.#downlink.bitrate * RESERVE - sound, wishes) : []
    this.#downlink.isLimited = shares.some(({ layer, temporal, atMost }, index) => {
      const top = wishes[index]!.qualities.at(-1)!
      return atMost !== null || layer < top.layer || temporal < top.temporal
    })
    for (const [index, track] of pictures.entries()) track.allow(shares[index] ?? null, now)
  }

  #hasNumbers(): boolean {
    for (const track of this.#tracks.values()) if (track.isNumbered) return true
    return false
  }

  #padding(): OutgoingStream | undefined {
    for (const { padding } of this.#tracks.values()) if (padding) return padding
    return undefined
  }

  /** Never one that this connection has used: its SRTP counters would not start at zero. */
  #newSsrc(): number {
    this.#lastSsrc = this.#lastSsrc === 0xffffffff ? 1 : this.#lastSsrc + 1
    return this.#lastSsrc
  }
}
