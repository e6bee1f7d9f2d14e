/** Thrown for a malformed packet. Receivers catch it and drop the packet. */
export class MalformedPacket extends Error {}

export interface ByteReader {
  readonly left: number
  uint8(): number
  uint16(): number
  uint24(): number
  uint32(): number
  uint48(): number
  /** The next bytes, as a view of the packet. */
  bytes(length: number): Buffer
  /** Bytes that follow their own length, which is written in as many bytes as `lengthSize` says. */
  vector(lengthSize: 1 | 2 | 3): Buffer
  /** Throws if bytes are left over. */
  end(): void
}

/** Reads big-endian fields in order. Throws `MalformedPacket` at the end of the packet. */
export function readBytes(packet: Buffer): ByteReader {
  let at = 0
  const advance = (length: number) => {
    if (length > packet.length - at) throw new MalformedPacket('a packet ends too early')
    const start = at
    at += length
    return start
  }
  const number = (size: number) => packet.readUIntBE(advance(size), size)
  const bytes = (length: number) => {
    const start = advance(length)
    return packet.subarray(start, start + length)
  }
  return {
    get left() {
      return packet.length - at
    },
    uint8: () => number(1),
    uint16: () => number(2),
    uint24: () => number(3),
    uint32: () => number(4),
    uint48: () => number(6),
    bytes,
    vector: (lengthSize) => bytes(number(lengthSize)),
    end: () => {
      if (at !== packet.length) throw new MalformedPacket('a packet is too long')
    },
  }
}

/** A big-endian number of 1 to 6 bytes. */
export function uint(size: number, value: number): Buffer {
  const bytes = Buffer.allocUnsafe(size)
  bytes.writeUIntBE(value, 0, size)
  return bytes
}

/** The parts as one, after their length. */
export function vector(lengthSize: 1 | 2 | 3, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  return Buffer.concat([uint(lengthSize, content.length), content])
}

/** Changes four bytes in place, as nonces and counters do. */
export function xorUInt32(bytes: Buffer, at: number, value: number): void {
  bytes.writeUInt32BE((bytes.readUInt32BE(at) ^ value) >>> 0, at)
}
