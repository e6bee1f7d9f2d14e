import {
  markPadding,
  NUMBERED_HEADER_SIZE,
  prepareNumberedHeader,
  RTP_HEADER_SIZE,
  writeRtpHeader,
  writeTransportNumber,
} from '../rtp/packet.ts'
import type { SenderReport } from '../rtp/rtcp.ts'
import { rewriteVp8, type Vp8Descriptor } from '../rtp/vp8.ts'
import { writeCname, writeSenderReport } from '../rtp/write-rtcp.ts'
import { VIEWER_EXTENSIONS } from '../sdp/extensions.ts'
import type { ViewerCodec } from '../sdp/viewer-codec.ts'
import type { Transport } from '../transport/transport.ts'
import { PACKET_OVERHEAD, type Downlink, type PaddingStream } from './downlink.ts'
import type { ForwardContext } from './forward-context.ts'
import type { IncomingPacket } from './incoming-packet.ts'
import type { Segment } from './outgoing-timeline.ts'
import type { StoredPacket } from './packet-ring.ts'

const RATE_INTERVAL = 1000
/** As much padding as a packet can have. Its last byte says how much that is. */
const PADDING = Buffer.alloc(255)
PADDING[PADDING.length - 1] = PADDING.length

/** Where stored packets are prepared, for one viewer after another; two bytes are for the number of what is repeated. */
const scratch = Buffer.allocUnsafe(2 + 1500)

export interface OutgoingStreamOptions extends ViewerCodec {
  readonly context: ForwardContext
  readonly transport: Transport
  readonly ssrc: number
  readonly repairSsrc: number | null
  readonly firstRepairSequence: number
}

/** Writes the packets of one stream to one viewer. All that is made per packet is a header. */
export class OutgoingStream implements PaddingStream {
  readonly #options: OutgoingStreamOptions
  #header = Buffer.alloc(RTP_HEADER_SIZE)
  #downlink: Downlink | null = null
  /** Sound goes before pictures. */
  readonly #canWait: boolean
  /** Whether the viewer knows retransmissions on a stream of their own (RTX). */
  withRepair = false
  packets = 0
  bytes = 0
  /** Bits per second, over the last second. */
  bitrate = 0
  /** The same with all headers. */
  bitrateOnLink = 0
  #bytesOnLink = 0
  #lastTimestamp = 0
  #repairSequence: number
  #measured: { at: number; bytes: number; bytesOnLink: number }

  constructor(options: OutgoingStreamOptions) {
    this.#options = options
    this.#canWait = options.codec.mime !== 'audio/opus'
    this.#repairSequence = options.firstRepairSequence
    this.#measured = { at: options.context.now(), bytes: 0, bytesOnLink: 0 }
  }

  /** Packets carry transport-wide numbers from now on. Not without RTX: what is sent again must then be the very same bytes. */
  number(downlink: Downlink): void {
    if (this.#downlink) return
    this.#downlink = downlink
    this.#header = Buffer.alloc(NUMBERED_HEADER_SIZE)
    prepareNumberedHeader(this.#header, VIEWER_EXTENSIONS.transportCc)
  }

  get isNumbered(): boolean {
    return this.#downlink !== null
  }

  get canPad(): boolean {
    return this.isNumbered && this.withRepair && this.#options.repairSsrc !== null
  }

  /** Writes into the payload, which is lent to one viewer after another: each has numbers of its own. */
  send(
    segment: Segment,
    packet: Pick<IncomingPacket, 'extended' | 'timestamp' | 'isMarked' | 'vp8'>,
    payload: Buffer,
    sequenceNumber: number,
    payloadType = this.#options.codec.payloadType,
  ): void {
    const { ssrc } = this.#options
    const timestamp = (packet.timestamp + segment.timestampOffset) >>> 0
    const { isMarked, vp8 } = packet
    writeRtpHeader(this.#header, { isMarked, payloadType, sequenceNumber, timestamp, ssrc })
    if (vp8) rewriteNumbers(payload, vp8, segment, packet.extended)
    this.#lastTimestamp = timestamp
    this.packets += 1
    this.bytes += payload.length
    this.#transmit(payload)
  }

  sendStored(segment: Segment, stored: StoredPacket, sequenceNumber: number): void {
    this.send(segment, stored, copyOf(stored), sequenceNumber)
  }

  /** On a stream of its own where the viewer knows RTX, else byte by byte what was sent before. */
  repeat(segment: Segment, stored: StoredPacket, sequenceNumber: number): void {
    const { repairSsrc, repairPayloadType } = this.#options
    this.#options.context.counters.repeated += 1
    if (!this.withRepair || repairSsrc === null || repairPayloadType === null) {
      // With another transport-wide number it would be other bytes under the same sequence number.
      if (this.isNumbered) return
      this.sendStored(segment, stored, sequenceNumber)
      return
    }
    const payload = copyOf(stored)
    if (stored.vp8) rewriteNumbers(payload, stored.vp8, segment, stored.extended)
    scratch.writeUInt16BE(sequenceNumber, 0)
    writeRtpHeader(this.#header, {
      isMarked: stored.isMarked,
      payloadType: repairPayloadType,
      sequenceNumber: this.#repairSequence++ & 0xffff,
      timestamp: (stored.timestamp + segment.timestampOffset) >>> 0,
      ssrc: repairSsrc,
    })
    this.#transmit(scratch.subarray(0, 2 + stored.size))
  }

  /** Only to stream of retransmissions, where a packet without an original means nothing. Returns its size. */
  pad(): number {
    writeRtpHeader(this.#header, {
      isMarked: false,
      payloadType: this.#options.repairPayloadType ?? 0,
      sequenceNumber: this.#repairSequence++ & 0xffff,
      timestamp: this.#lastTimestamp,
      ssrc: this.#options.repairSsrc ?? 0,
    })
    markPadding(this.#header)
    this.#transmit(PADDING)
    return PADDING.length + PACKET_OVERHEAD
  }

  /** The publisher's report, with what this viewer sees of the stream. */
  report(report: SenderReport, rtpTimestamp: number, cname: string): void {
    const { ssrc, transport } = this.#options
    const seen = { ...report, ssrc, rtpTimestamp, packets: this.packets, octets: this.bytes, reports: [] }
    transport.sendRtcp(Buffer.concat([writeSenderReport(seen), writeCname(ssrc, cname)]))
  }

  close(): void {
    const { ssrc, repairSsrc, transport } = this.#options
    transport.forget(ssrc)
    if (repairSsrc !== null) transport.forget(repairSsrc)
  }

  tick(now: number): void {
    const { at, bytes, bytesOnLink } = this.#measured
    if (now - at < RATE_INTERVAL) return
    this.bitrate = Math.round(((this.bytes - bytes) * 8000) / (now - at))
    this.bitrateOnLink = Math.round(((this.#bytesOnLink - bytesOnLink) * 8000) / (now - at))
    this.#measured = { at: now, bytes: this.bytes, bytesOnLink: this.#bytesOnLink }
  }

  #transmit(payload: Buffer): void {
    const { context, transport } = this.#options
    context.counters.packetsOut += 1
    context.counters.bytesOut += payload.length
    this.#bytesOnLink += payload.length + PACKET_OVERHEAD
    if (this.#downlink) writeTransportNumber(this.#header, this.#downlink.sent(payload.length))
    transport.sendRtp(this.#header, payload, this.#canWait)
  }
}

function copyOf(stored: StoredPacket): Buffer {
  stored.bytes.copy(scratch, 2, 0, stored.size)
  return scratch.subarray(2, 2 + stored.size)
}

function rewriteNumbers(payload: Buffer, vp8: Vp8Descriptor, segment: Segment, extended: number): void {
  const skipped = segment.skipped?.picturesBefore(extended) ?? 0
  const pictureId = (vp8.pictureId ?? 0) + segment.pictureIdOffset - skipped
  rewriteVp8(payload, vp8, pictureId, (vp8.tl0PictureIndex ?? 0) + segment.tl0Offset)
}
