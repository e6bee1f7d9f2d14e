const TEXT = 0x81
const BINARY = 0x82

/** A complete server frame (RFC 6455, section 5.2), which can be written to any number of sockets. */
export function wholeFrame(message: Buffer, binary: boolean): Buffer {
  return Buffer.concat([writeHeader(message.length, binary ? BINARY : TEXT), message])
}

function writeHeader(length: number, kind: number): Buffer {
  if (length < 126) return Buffer.from([kind, length])
  if (length < 0x10000) return Buffer.from([kind, 126, length >> 8, length & 0xff])
  const header = Buffer.alloc(10)
  header.writeUInt8(kind, 0)
  header.writeUInt8(127, 1)
  header.writeBigUInt64BE(BigInt(length), 2)
  return header
}

/** Concatenates frames, once for all receivers of the same ones. */
export function sharedJoin(): (frames: readonly Buffer[]) => Buffer {
  const joined = new Map<Buffer, { readonly frames: readonly Buffer[]; readonly bytes: Buffer }>()
  return (frames) => {
    const [first, second] = frames
    if (first === undefined) return Buffer.alloc(0)
    if (second === undefined) return first
    const last = joined.get(first)
    if (last?.frames.length === frames.length && last.frames.every((frame, position) => frame === frames[position])) {
      return last.bytes
    }
    const bytes = Buffer.concat(frames)
    joined.set(first, { frames, bytes })
    return bytes
  }
}
