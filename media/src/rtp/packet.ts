/** A view of a packet that was received; valid as long as the packet's buffer is. */
export interface RtpPacket {
  readonly isMarked: boolean
  readonly payloadType: number
  readonly sequenceNumber: number
  readonly timestamp: number
  readonly ssrc: number
  /** What a one-byte or two-byte header extension is made of, else an empty buffer. */
  readonly extensions: Buffer
  readonly extensionForm: 'one-byte' | 'two-byte'
  /** Without padding; empty in packets that only probe the bandwidth. */
  readonly payload: Buffer
}

export const RTP_HEADER_SIZE = 12

const NOTHING: Buffer = Buffer.alloc(0)
const ONE_BYTE_PROFILE = 0xbede
const TWO_BYTE_PROFILE = 0x1000

/** Null if a length inside the packet exceeds it. */
export function readRtp(packet: Buffer): RtpPacket | null {
  if (packet.length < RTP_HEADER_SIZE || packet[0]! >> 6 !== 2) return null
  let start = RTP_HEADER_SIZE + 4 * (packet[0]! & 0x0f)
  let extensions = NOTHING
  let profile = ONE_BYTE_PROFILE
  if ((packet[0]! & 0x10) !== 0) {
    if (packet.length < start + 4) return null
    profile = packet.readUInt16BE(start)
    const end = start + 4 + 4 * packet.readUInt16BE(start + 2)
    if (packet.length < end) return null
    extensions = packet.subarray(start + 4, end)
    start = end
  }
  const padding = (packet[0]! & 0x20) === 0 ? 0 : packet.at(-1)!
  if (start + padding > packet.length || (padding === 0 && (packet[0]! & 0x20) !== 0)) return null
  const isTwoByte = (profile & 0xfff0) === TWO_BYTE_PROFILE
  return {
    isMarked: packet[1]! >= 0x80,
    payloadType: packet[1]! & 0x7f,
    sequenceNumber: packet.readUInt16BE(2),
    timestamp: packet.readUInt32BE(4),
    ssrc: packet.readUInt32BE(8),
    extensions: isTwoByte || profile === ONE_BYTE_PROFILE ? extensions : NOTHING,
    extensionForm: isTwoByte ? 'two-byte' : 'one-byte',
    payload: packet.subarray(start, packet.length - padding),
  }
}

/** The content of one header extension; null if the packet does not have it. */
export function readExtension(packet: RtpPacket, id: number | undefined): Buffer | null {
  if (id === undefined) return null
  const { extensions, extensionForm } = packet
  const isTwoByte = extensionForm === 'two-byte'
  let at = 0
  while (at < extensions.length) {
    const first = extensions[at]!
    const foundId = isTwoByte ? first : first >> 4
    if (foundId === 0) {
      at += 1
      continue
    }
    // Id 15 of the short form ends the list.
    if (!isTwoByte && foundId === 15) return null
    if (isTwoByte && at + 1 >= extensions.length) return null
    const length = isTwoByte ? extensions[at + 1]! : (first & 0x0f) + 1
    const start = at + (isTwoByte ? 2 : 1)
    if (start + length > extensions.length) return null
    if (foundId === id) return extensions.subarray(start, start + length)
    at = start + length
  }
  return null
}

export interface RtpHeader {
  readonly isMarked: boolean
  readonly payloadType: number
  readonly sequenceNumber: number
  readonly timestamp: number
  readonly ssrc: number
}

/** The size of a header with the transport-wide number. */
export const NUMBERED_HEADER_SIZE = RTP_HEADER_SIZE + 8

/** Makes a header of one with nothing but the transport-wide number: a two-byte extension with this id, and padding. */
export function prepareNumberedHeader(target: Buffer, id: number): void {
  target.writeUInt16BE(ONE_BYTE_PROFILE, RTP_HEADER_SIZE)
  target.writeUInt16BE(1, RTP_HEADER_SIZE + 2)
  target[RTP_HEADER_SIZE + 4] = (id << 4) | 1
  target[RTP_HEADER_SIZE + 7] = 0
}

/** After the header itself was written. */
export function writeTransportNumber(target: Buffer, number: number): void {
  target[0] = target[0]! | 0x10
  target.writeUInt16BE(number, RTP_HEADER_SIZE + 5)
}

/** After the header was written: the payload is all padding. */
export function markPadding(target: Buffer): void {
  target[0] = target[0]! | 0x20
}

/** Writes a header without extensions into the first 12 bytes of a buffer. */
export function writeRtpHeader(target: Buffer, header: RtpHeader): void {
  target[0] = 0x80
  target[1] = (header.isMarked ? 0x80 : 0) | header.payloadType
  target.writeUInt16BE(header.sequenceNumber, 2)
  target.writeUInt32BE(header.timestamp, 4)
  target.writeUInt32BE(header.ssrc, 8)
}
