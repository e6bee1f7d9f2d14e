import { CNAME, FEEDBACK, RTCP, type ReportBlock, type SenderReport } from './rtcp.ts'

/** As many blocks as one report can hold. */
export const MAX_REPORTS = 31

function packet(type: number, count: number, body: Buffer): Buffer {
  const header = Buffer.allocUnsafe(4)
  header[0] = 0x80 | count
  header[1] = type
  header.writeUInt16BE(body.length / 4, 2)
  return Buffer.concat([header, body])
}

export function writeReceiverReport(ssrc: number, reports: readonly ReportBlock[]): Buffer {
  return packet(RTCP.receiverReport, reports.length, Buffer.concat([words(ssrc), ...reports.map(writeReport)]))
}

export function writeSenderReport(report: SenderReport): Buffer {
  const { ssrc, ntpSeconds, ntpFraction, rtpTimestamp, packets, octets, reports } = report
  const info = words(ssrc, ntpSeconds, ntpFraction, rtpTimestamp, packets, octets)
  return packet(RTCP.senderReport, reports.length, Buffer.concat([info, ...reports.map(writeReport)]))
}

function writeReport(report: ReportBlock): Buffer {
  const block = words(
    report.ssrc,
    0,
    report.highestSequence,
    report.jitter,
    report.lastReport,
    report.delaySinceLastReport,
  )
  block[4] = report.fractionLost
  block.writeIntBE(Math.max(-0x800000, Math.min(0x7fffff, report.totalLost)), 5, 3)
  return block
}

/** Every compound must name its sender. */
export function writeCname(ssrc: number, cname: string): Buffer {
  const name = Buffer.from(cname).subarray(0, 255)
  const body = Buffer.alloc(4 + ((2 + name.length) & ~3) + 4)
  body.writeUInt32BE(ssrc, 0)
  body[4] = CNAME
  body[5] = name.length
  name.copy(body, 6)
  return packet(RTCP.sourceDescription, 1, body)
}

export const writeBye = (ssrcs: readonly number[]): Buffer => packet(RTCP.bye, ssrcs.length, words(...ssrcs))

export const writePictureLoss = (sender: number, ssrc: number): Buffer =>
  packet(RTCP.payloadFeedback, FEEDBACK.pictureLoss, words(sender, ssrc))

/** `number` must change with every new request. */
export const writeFullIntraRequest = (sender: number, ssrc: number, number: number): Buffer =>
  packet(RTCP.payloadFeedback, FEEDBACK.fullIntraRequest, words(sender, 0, ssrc, (number & 0xff) * 0x1000000))

/** Takes sequence numbers in ascending order, across a wrap too. */
export function writeNack(sender: number, ssrc: number, missing: readonly number[]): Buffer {
  const items: number[] = []
  let first = 0
  let following = 0
  for (const [index, number] of missing.entries()) {
    const distance = (number - first) & 0xffff
    if (index > 0 && distance >= 1 && distance <= 16) {
      following |= 1 << (distance - 1)
      continue
    }
    if (index > 0) items.push(first * 0x10000 + following)
    first = number
    following = 0
  }
  if (missing.length > 0) items.push(first * 0x10000 + following)
  return packet(RTCP.transportFeedback, FEEDBACK.nack, words(sender, ssrc, ...items))
}

/** REMB: the sum of the streams must not exceed the bit rate. */
export function writeMaxBitrate(sender: number, bitrate: number, ssrcs: readonly number[]): Buffer {
  let exponent = 0
  let mantissa = Math.floor(bitrate)
  while (mantissa >= 0x40000) {
    mantissa = Math.floor(mantissa / 2)
    exponent += 1
  }
  const limit = ssrcs.length * 0x1000000 + exponent * 0x40000 + mantissa
  return packet(RTCP.payloadFeedback, FEEDBACK.application, words(sender, 0, 0x52454d42, limit, ...ssrcs))
}

export const writeTransportFeedback = (sender: number, ssrc: number, content: Buffer): Buffer =>
  packet(RTCP.transportFeedback, FEEDBACK.transportCc, Buffer.concat([words(sender, ssrc), content]))

function words(...values: readonly number[]): Buffer {
  const buffer = Buffer.allocUnsafe(values.length * 4)
  for (const [index, value] of values.entries()) buffer.writeUInt32BE(value >>> 0, index * 4)
  return buffer
}
