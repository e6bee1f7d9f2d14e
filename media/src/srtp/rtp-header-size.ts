const FIXED_SIZE = 12
const VERSION_2 = 0x80
const VERSION_MASK = 0xc0
const EXTENSION = 0x10
const SOURCES_MASK = 0x0f

/** The size of the header of an RTP packet with its extension, undefined if it exceeds the packet. */
export function rtpHeaderSize(packet: Buffer): number | undefined {
  if (packet.length < FIXED_SIZE || (packet[0]! & VERSION_MASK) !== VERSION_2) return undefined
  let size = FIXED_SIZE + 4 * (packet[0]! & SOURCES_MASK)
  if ((packet[0]! & EXTENSION) !== 0) {
    if (packet.length < size + 4) return undefined
    size += 4 + 4 * packet.readUInt16BE(size + 2)
  }
  return size <= packet.length ? size : undefined
}
