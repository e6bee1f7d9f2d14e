import { crc32 } from 'node:zlib'

/** A file of the package: where it is in the archive, and its text. */
export interface PackedFile {
  readonly path: string
  readonly text: string
}

/**
 * A package as npm unpacks it, `.tgz`. The same files are the same bytes on every machine: lockfiles contain their checksum. So
 * nothing is compressed, because the result of a compressor depends on its version and on the processor.
 */
export function archive(files: readonly PackedFile[]): Buffer {
  const sorted = files.toSorted((one, other) => (one.path < other.path ? -1 : 1))
  const entries = sorted.flatMap(({ path, text }) => {
    // A checkout on Windows may have other line ends.
    const content = Buffer.from(text.replaceAll('\r\n', '\n'))
    return [header(`package/${path}`, content.length), content, Buffer.alloc(-content.length & (BLOCK - 1))]
  })
  return gzip(Buffer.concat([...entries, Buffer.alloc(2 * BLOCK)]))
}

const BLOCK = 512
/** 1985, as in every package that npm packs: a zip file can’t be older than 1980. */
const MODIFIED_AT = 499_162_500

/** In the ustar format. */
function header(path: string, size: number): Buffer {
  if (Buffer.byteLength(path) > 100) throw new RangeError(`${path} is too long for the archive`)
  const bytes = Buffer.alloc(BLOCK)
  bytes.write(path, 0)
  bytes.write('0000644\0', 100)
  bytes.write('0000000\0', 108)
  bytes.write('0000000\0', 116)
  bytes.write(`${octal(size, 11)} `, 124)
  bytes.write(`${octal(MODIFIED_AT, 11)} `, 136)
  // The checksum counts its own field as spaces.
  bytes.write('        ', 148)
  bytes.write('0', 156)
  bytes.write('ustar\x0000', 257)
  const sum = bytes.reduce((total, byte) => total + byte, 0)
  bytes.write(`${octal(sum, 6)}\0 `, 148)
  return bytes
}

function octal(number: number, digits: number): string {
  return number.toString(8).padStart(digits, '0')
}

/** Deflate’s largest stored block. */
const STORED = 65_535

/** RFC 1952, with stored blocks, no time and no name of a system. */
function gzip(content: Buffer): Buffer {
  const parts: Buffer[] = [Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255])]
  for (let start = 0; start < content.length; start += STORED) {
    const stored = content.subarray(start, start + STORED)
    const head = Buffer.alloc(5)
    head[0] = start + STORED >= content.length ? 1 : 0
    head.writeUInt16LE(stored.length, 1)
    head.writeUInt16LE(~stored.length & 0xffff, 3)
    parts.push(head, stored)
  }
  const trailer = Buffer.alloc(8)
  trailer.writeUInt32LE(crc32(content), 0)
  trailer.writeUInt32LE(content.length, 4)
  return Buffer.concat([...parts, trailer])
}
