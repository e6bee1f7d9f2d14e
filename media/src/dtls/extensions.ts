import { MalformedPacket, readBytes, uint, vector } from '../packet/bytes.ts'

export const SUPPORTED_GROUPS = 10
export const EC_POINT_FORMATS = 11
export const SIGNATURE_ALGORITHMS = 13
export const USE_SRTP = 14
export const EXTENDED_MASTER_SECRET = 23
export const RENEGOTIATION_INFO = 0xff01

/** The extensions of a ClientHello or ServerHello, by type. */
export function readExtensions(bytes: Buffer): Map<number, Buffer> {
  const reader = readBytes(bytes)
  const extensions = new Map<number, Buffer>()
  while (reader.left > 0) {
    const type = reader.uint16()
    if (extensions.has(type)) throw new MalformedPacket('an extension is there twice')
    extensions.set(type, reader.vector(2))
  }
  return extensions
}

export function writeExtension(type: number, ...content: readonly Buffer[]): Buffer {
  return Buffer.concat([uint(2, type), vector(2, ...content)])
}

/** The numbers of an extension that begins with a list of them; none if it is missing. */
export function list16(extension: Buffer | undefined): number[] {
  return extension === undefined ? [] : uint16s(readBytes(extension).vector(2))
}

export function uint16s(bytes: Buffer): number[] {
  if (bytes.length % 2 !== 0) throw new MalformedPacket('a list ends within a number')
  return Array.from({ length: bytes.length / 2 }, (_, at) => bytes.readUInt16BE(at * 2))
}
