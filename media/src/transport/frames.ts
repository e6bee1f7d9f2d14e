import { MAX_PACKET_SIZE } from './route-packet.ts'

const LENGTH_SIZE = 2

/**
 * Splits a stream into packets, each after its length (RFC 4571). The function takes the next bytes of the stream and returns
 * the packets that they complete, or undefined if a packet is too long: then the stream can’t be read further.
 */
export function createFrameReader(): (bytes: Buffer) => Buffer[] | undefined {
  let rest = Buffer.alloc(0)
  return (bytes) => {
    const stream = rest.length === 0 ? bytes : Buffer.concat([rest, bytes])
    const packets: Buffer[] = []
    let at = 0
    while (at + LENGTH_SIZE <= stream.length) {
      const start = at + LENGTH_SIZE
      const size = stream.readUInt16BE(at)
      if (size > MAX_PACKET_SIZE) return undefined
      if (start + size > stream.length) break
      packets.push(stream.subarray(start, start + size))
      at = start + size
    }
    rest = Buffer.from(stream.subarray(at))
    return packets
  }
}
