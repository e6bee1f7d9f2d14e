import { CNAME, FEEDBACK, RTCP, type ReportBlock, type RtcpPacket } from './rtcp.ts'

const REPORT_SIZE = 24
const REMB = 0x52454d42

/** The packets of a compound that we understand, up to the first that is malformed. */
export function readRtcp(compound: Buffer): RtcpPacket[] {
  const packets: RtcpPacket[] = []
  let at = 0
  while (at + 4 <= compound.length) {
    const end = at + 4 + 4 * compound.readUInt16BE(at + 2)
    const padding = (compound[at]! & 0x20) === 0 ? 0 : compound[end - 1]
    if (compound[at]! >> 6 !== 2 || end > compound.length || padding === undefined || at + 4 + padding > end) break
    const packet = readPacket(compound[at]! & 0x1f, compound[at + 1]!, compound.subarray(at + 4, end - padding))
    if (packet) packets.push(packet)
    at = end
  }
  return packets
}

/** `count` is the number of blocks, or the format of feedback. Null if unknown or too short. */
function readPacket(count: number, type: number, body: Buffer): RtcpPacket | null {
  if (type === RTCP.sourceDescription) return readSourceDescription(count, body)
  if (type === RTCP.bye) return readBye(count, body)
  if (body.length < 4) return null
  const ssrc = body.readUInt32BE(0)
  if (type === RTCP.receiverReport) return { type: 'receiver-report', ssrc, reports: readReports(count, body, 4) }
  if (type === RTCP.senderReport) return readSenderReport(count, ssrc, body)
  if (body.length < 8) return null
  if (type === RTCP.transportFeedback) return readTransportFeedback(count, ssrc, body)
  return type === RTCP.payloadFeedback ? readPayloadFeedback(count, ssrc, body) : null
}

function readSenderReport(count: number, ssrc: number, body: Buffer): RtcpPacket | null {
  if (body.length < 24) return null
  return {
    type: 'sender-report',
    ssrc,
    ntpSeconds: body.readUInt32BE(4),
    ntpFraction: body.readUInt32BE(8),
    rtpTimestamp: body.readUInt32BE(12),
    packets: body.readUInt32BE(16),
    octets: body.readUInt32BE(20),
    reports: readReports(count, body, 24),
  }
}

function readReports(count: number, body: Buffer, start: number): ReportBlock[] {
  const reports: ReportBlock[] = []
  for (let at = start; reports.length < count && at + REPORT_SIZE <= body.length; at += REPORT_SIZE) {
    reports.push({
      ssrc: body.readUInt32BE(at),
      fractionLost: body[at + 4]!,
      totalLost: body.readIntBE(at + 5, 3),
      highestSequence: body.readUInt32BE(at + 8),
      jitter: body.readUInt32BE(at + 12),
      lastReport: body.readUInt32BE(at + 16),
      delaySinceLastReport: body.readUInt32BE(at + 20),
    })
  }
  return reports
}

function readSourceDescription(count: number, body: Buffer): RtcpPacket {
  const cnames: { ssrc: number; cname: string }[] = []
  let at = 0
  for (let chunk = 0; chunk < count && at + 4 <= body.length; chunk++) {
    const ssrc = body.readUInt32BE(at)
    at += 4
    while (at < body.length && body[at] !== 0) {
      const length = body[at + 1] ?? 0
      if (at + 2 + length > body.length) return { type: 'source-description', cnames }
      if (body[at] === CNAME) cnames.push({ ssrc, cname: body.toString('utf8', at + 2, at + 2 + length) })
      at += 2 + length
    }
    // The list ends with a zero and is padded to whole words.
    at = (at & ~3) + 4
  }
  return { type: 'source-description', cnames }
}

function readBye(count: number, body: Buffer): RtcpPacket {
  const ssrcs: number[] = []
  for (let at = 0; ssrcs.length < count && at + 4 <= body.length; at += 4) ssrcs.push(body.readUInt32BE(at))
  return { type: 'bye', ssrcs }
}

function readTransportFeedback(format: number, sender: number, body: Buffer): RtcpPacket | null {
  const ssrc = body.readUInt32BE(4)
  if (format === FEEDBACK.transportCc) return { type: 'transport-feedback', sender, ssrc, content: body.subarray(8) }
  if (format !== FEEDBACK.nack) return null
  return { type: 'nack', sender, ssrc, missing: missingOf(body) }
}

function* missingOf(body: Buffer): Iterable<number> {
  for (let at = 8; at + 4 <= body.length; at += 4) {
    const first = body.readUInt16BE(at)
    const following = body.readUInt16BE(at + 2)
    yield first
    for (let bit = 0; bit < 16; bit++) {
      if ((following & (1 << bit)) !== 0) yield (first + bit + 1) & 0xffff
    }
  }
}

function readPayloadFeedback(format: number, sender: number, body: Buffer): RtcpPacket | null {
  if (format === FEEDBACK.pictureLoss) return { type: 'picture-loss', sender, ssrc: body.readUInt32BE(4) }
  if (format === FEEDBACK.fullIntraRequest) {
    const requests: { ssrc: number; number: number }[] = []
    for (let at = 8; at + 8 <= body.length; at += 8) {
      requests.push({ ssrc: body.readUInt32BE(at), number: body[at + 4]! })
    }
    return { type: 'full-intra-request', sender, requests }
  }
  if (format === FEEDBACK.application) return readMaxBitrate(sender, body)
  return null
}

/** REMB: a mantissa of 18 bits and an exponent of 6. */
function readMaxBitrate(sender: number, body: Buffer): RtcpPacket | null {
  if (body.length < 16 || body.readUInt32BE(8) !== REMB) return null
  const count = body[12]!
  const bitrate = (body.readUIntBE(13, 3) & 0x3ffff) * 2 ** (body[13]! >> 2)
  const ssrcs: number[] = []
  for (let at = 16; ssrcs.length < count && at + 4 <= body.length; at += 4) ssrcs.push(body.readUInt32BE(at))
  return { type: 'max-bitrate', sender, bitrate, ssrcs }
}
