import { randomInt, randomUUID } from 'node:crypto'
import { readExtension, readRtp, type RtpPacket } from '../rtp/packet.ts'
import { readRtcp } from '../rtp/read-rtcp.ts'
import {
  MAX_REPORTS,
  writeCname,
  writeMaxBitrate,
  writeReceiverReport,
  writeTransportFeedback,
} from '../rtp/write-rtcp.ts'
import type { AcceptedSection } from '../sdp/accept.ts'
import type { Transport } from '../transport/transport.ts'
import { ArrivalLimit } from './arrival-limit.ts'
import { ArrivalLog } from './arrival-log.ts'
import type { ForwardContext } from './forward-context.ts'
import type { IncomingLayer } from './incoming-layer.ts'
import { IncomingTrack } from './incoming-track.ts'
import type { PublishedTrack, PublishedTrackOptions } from './published-track.ts'
import type { Publisher, PublisherOptions } from './publisher.ts'
import { SourceTable } from './source-table.ts'

const REPORT_INTERVAL = 1000
/** How often a publisher learns when its packets arrived, from which it estimates its bandwidth. */
const FEEDBACK_INTERVAL = 100
const DEFAULT_MAX_BITRATE = 8_000_000

export class IncomingConnection implements Publisher {
  readonly #context: ForwardContext
  readonly #transport: Transport
  readonly #maxBitrate: number
  readonly #onClose: (connection: IncomingConnection) => void
  readonly #sources = new SourceTable()
  readonly #tracks = new Map<string, IncomingTrack>()
  readonly #ssrc = randomInt(1, 0xffffffff)
  readonly #cname = randomUUID()
  readonly #arrivals = new ArrivalLog()
  readonly #limit: ArrivalLimit
  #transportCc: number | undefined
  #feedbackAt = -Infinity
  #reportedAt = -Infinity

  constructor(
    context: ForwardContext,
    transport: Transport,
    { maxBitrate = DEFAULT_MAX_BITRATE }: PublisherOptions,
    onClose: (connection: IncomingConnection) => void,
  ) {
    this.#context = context
    this.#transport = transport
    this.#maxBitrate = maxBitrate
    this.#limit = new ArrivalLimit(maxBitrate, context.now())
    this.#onClose = onClose
    transport.onRtp = (packet) => this.#onRtp(packet)
    transport.onRtcp = (compound) => this.#onRtcp(compound)
  }

  get roundTripTime(): number | null {
    const times = this.#layers().flatMap(({ missing }) => missing.roundTripTime ?? [])
    return times.length > 0 ? Math.min(...times) : null
  }

  publish(section: AcceptedSection, options: PublishedTrackOptions = {}): PublishedTrack {
    this.#tracks.get(section.mid)?.close()
    const track = new IncomingTrack(section, {
      ...options,
      context: this.#context,
      cname: this.#cname,
      send: (write) => this.#transport.sendRtcp(write(this.#ssrc)),
      onClose: () => {
        this.#sources.remove(track)
        if (this.#tracks.get(section.mid) === track) this.#tracks.delete(section.mid)
      },
    })
    this.#tracks.set(section.mid, track)
    this.#sources.add(track)
    this.#transportCc = section.extensions.transportCc ?? this.#transportCc
    return track
  }

  close(): void {
    for (const track of this.#tracks.values()) track.close()
    this.#transport.onRtp = () => {}
    this.#transport.onRtcp = () => {}
    this.#onClose(this)
  }

  tick(now: number): void {
    for (const track of this.#tracks.values()) track.tick(now)
    if (this.#arrivals.isDue && now - this.#feedbackAt >= FEEDBACK_INTERVAL) this.#giveFeedback(now)
    if (now - this.#reportedAt >= REPORT_INTERVAL) this.#report(now)
  }

  #onRtp(bytes: Buffer): void {
    const { counters } = this.#context
    counters.packetsIn += 1
    counters.bytesIn += bytes.length
    // Before its arrival is noted: a publisher that estimates its bandwidth sends less when packets don't arrive.
    if (!this.#limit.take(bytes.length, this.#context.now())) {
      counters.overLimit += 1
      return
    }
    const packet = readRtp(bytes)
    if (packet) this.#noteArrival(packet)
    const source = packet && this.#sources.find(packet)
    if (!source) {
      counters.dropped += 1
      return
    }
    const { track, layer, isRepair } = source
    const { codec, repairPayloadType, redundantPayloadType } = track.section
    if (!isRepair && packet.payloadType === redundantPayloadType) {
      if (!track.receiveRedundant(layer, packet)) counters.dropped += 1
    } else if (packet.payloadType !== (isRepair ? repairPayloadType : codec.payloadType)) counters.dropped += 1
    else if (!isRepair) track.receive(layer, packet, false)
    // Without an original it is only a probe of the bandwidth.
    else if (packet.payload.length > 2) track.receive(layer, originalOf(packet), true)
  }

  #onRtcp(compound: Buffer): void {
    for (const packet of readRtcp(compound)) {
      if (packet.type !== 'sender-report') continue
      const source = this.#sources.byReport(packet.ssrc)
      if (source && !source.isRepair) source.track.onSenderReport(source.layer, packet)
    }
  }

  #layers(): IncomingLayer[] {
    return [...this.#tracks.values()].flatMap(({ layers }) => layers.flatMap((layer) => layer ?? []))
  }

  #noteArrival(packet: RtpPacket): void {
    const extension = readExtension(packet, this.#transportCc)
    if (extension?.length === 2) this.#arrivals.add(extension.readUInt16BE(0), this.#context.now())
  }

  #giveFeedback(now: number): void {
    this.#feedbackAt = now
    const ssrc = this.#layers()[0]?.ssrc ?? 0
    for (const content of this.#arrivals.take()) {
      this.#transport.sendRtcp(writeTransportFeedback(this.#ssrc, ssrc, content))
    }
  }

  #report(now: number): void {
    if (this.#layers().length === 0) return
    this.#reportedAt = now
    const blocks = [...this.#tracks.values()].flatMap((track) => track.report(now)).slice(0, MAX_REPORTS)
    const limited = [...this.#tracks.values()]
      .filter(({ section }) => section.codec.feedback.includes('goog-remb'))
      .flatMap((track) => track.layers.flatMap((layer) => layer?.ssrc ?? []))
    this.#transport.sendRtcp(
      Buffer.concat([
        writeReceiverReport(this.#ssrc, blocks),
        writeCname(this.#ssrc, this.#cname),
        ...(limited.length > 0 ? [writeMaxBitrate(this.#ssrc, this.#maxBitrate, limited)] : []),
      ]),
    )
  }
}

/** What a retransmission (RFC 4588) brings again: its payload begins with the original's sequence number. */
function originalOf(packet: RtpPacket): RtpPacket {
  return { ...packet, sequenceNumber: packet.payload.readUInt16BE(0), payload: packet.payload.subarray(2) }
}
