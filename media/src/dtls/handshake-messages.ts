import { uint } from '../packet/bytes.ts'

export const CLIENT_HELLO = 1
export const SERVER_HELLO = 2
export const HELLO_VERIFY_REQUEST = 3
export const CERTIFICATE = 11
export const SERVER_KEY_EXCHANGE = 12
export const CERTIFICATE_REQUEST = 13
export const SERVER_HELLO_DONE = 14
export const CERTIFICATE_VERIFY = 15
export const CLIENT_KEY_EXCHANGE = 16
export const FINISHED = 20

export interface HandshakeMessage {
  readonly type: number
  /** Its place among the messages of its sender. */
  readonly sequence: number
  readonly body: Buffer
}

/** A piece of a handshake message. */
export interface Fragment extends HandshakeMessage {
  /** Of the whole message. */
  readonly length: number
  readonly offset: number
}

const HEADER_SIZE = 12

/** The fragments in the content of a handshake record. What follows a damaged one is left out. */
export function readFragments(content: Buffer): Fragment[] {
  const fragments: Fragment[] = []
  let at = 0
  while (at + HEADER_SIZE <= content.length) {
    const start = at + HEADER_SIZE
    const length = content.readUIntBE(at + 1, 3)
    const offset = content.readUIntBE(at + 6, 3)
    const end = start + content.readUIntBE(at + 9, 3)
    if (end > content.length || offset + end - start > length) break
    const body = content.subarray(start, end)
    fragments.push({ type: content.readUInt8(at), length, sequence: content.readUInt16BE(at + 4), offset, body })
    at = end
  }
  return fragments
}

/** A whole message in one fragment, which is also how it enters the transcript. */
export function writeMessage({ type, sequence, body }: HandshakeMessage): Buffer {
  const size = uint(3, body.length)
  return Buffer.concat([uint(1, type), size, uint(2, sequence), uint(3, 0), size, body])
}
