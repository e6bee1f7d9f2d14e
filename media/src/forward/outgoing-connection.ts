import { randomInt } from 'node:crypto'
import { readRtcp } from '../rtp/read-rtcp.ts'
import type { ReportBlock, RtcpPacket } from '../rtp/rtcp.ts'
import type { Transport } from '../transport/transport.ts'
import type { ForwardContext } from './forward-context.ts'
import { IncomingTrack } from './incoming-track.ts'
import { OutgoingTrack } from './outgoing-track.ts'
import type { PublishedTrack } from './published-track.ts'
import type { Subscription } from './subscription.ts'
import type { Viewer } from './viewer.ts'

export class OutgoingConnection implements Viewer {
  readonly #context: ForwardContext
  readonly #transport: Transport
  readonly #onClose: (connection: OutgoingConnection) => void
  readonly #tracks = new Map<number, OutgoingTrack>()
  #lastSsrc = randomInt(1, 0xffffffff)
  roundTripTime: number | null = null

  constructor(context: ForwardContext, transport: Transport, onClose: (connection: OutgoingConnection) => void) {
    this.#context = context
    this.#transport = transport
    this.#onClose = onClose
    transport.onRtcp = (compound) => {
      for (const packet of readRtcp(compound)) this.#onRtcp(packet)
    }
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
  }

  #onRtcp(packet: RtcpPacket): void {
    if (packet.type === 'receiver-report' || packet.type === 'sender-report') this.#onReports(packet.reports)
    else if (packet.type === 'nack') this.#tracks.get(packet.ssrc)?.onNack(packet.missing)
    else if (packet.type === 'picture-loss') this.#tracks.get(packet.ssrc)?.onPictureLoss()
    else if (packet.type === 'full-intra-request') {
      for (const { ssrc } of packet.requests) this.#tracks.get(ssrc)?.onPictureLoss()
    }
  }

  #onReports(reports: readonly ReportBlock[]): void {
    const now = this.#context.now()
    for (const report of reports) {
      const time = this.#tracks.get(report.ssrc)?.onReport(report, now) ?? null
      if (time !== null) this.roundTripTime = time
    }
  }

  /** Never one that this connection has used: its SRTP counters would not start at zero. */
  #newSsrc(): number {
    this.#lastSsrc = this.#lastSsrc === 0xffffffff ? 1 : this.#lastSsrc + 1
    return this.#lastSsrc
  }
}
