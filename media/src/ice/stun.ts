import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { uint } from '../packet/bytes.ts'
import { addressBytes } from '../packet/ip-address.ts'

export const BINDING_REQUEST = 0x0001
export const BINDING_RESPONSE = 0x0101

export const USERNAME = 0x0006
export const MESSAGE_INTEGRITY = 0x0008
export const XOR_MAPPED_ADDRESS = 0x0020
export const PRIORITY = 0x0024
export const USE_CANDIDATE = 0x0025
export const FINGERPRINT = 0x8028
export const ICE_CONTROLLED = 0x8029

const MAGIC_COOKIE = 0x2112_a442
const HEADER_SIZE = 20
const DIGEST_SIZE = 20
const FINGERPRINT_MASK = 0x5354_554e
/** RFC 8445 limits each half of a user name to 256 characters. */
const MAX_USERNAME_SIZE = 513

/** The highest that a candidate found by a check may have (RFC 8445, section 5.1.2). Peers read it and don't use it. */
const CHECK_PRIORITY = 110 * 2 ** 24 + 65_535 * 2 ** 8 + 255
/** We never control, so that this number decides nothing. */
const TIE_BREAKER = randomBytes(8)

/** A message with a digest, not yet proved authentic. */
interface SignedMessage {
  readonly transactionId: Buffer
  /** What the digest covers: the message up to it, with a length as if it ended there. */
  readonly covered: Buffer
  readonly digest: Buffer
}

/** A connectivity check, not yet proved authentic. */
export interface BindingRequest extends SignedMessage {
  /** The half of the user name that we have announced. */
  readonly ufrag: string
  readonly useCandidate: boolean
}

/** What a check needs: each side's password is known to the other by signaling. */
export interface IceCredentials {
  readonly ufrag: string
  readonly pwd: string
}

export interface Address {
  readonly address: string
  readonly port: number
}

/** Reads a connectivity check, undefined if it is anything else. What follows the digest is not authentic and is ignored. */
export function readBindingRequest(packet: Buffer): BindingRequest | undefined {
  let ufrag: string | undefined
  let useCandidate = false
  const signed = readSigned(packet, BINDING_REQUEST, (type, value) => {
    if (type === USERNAME && value.length <= MAX_USERNAME_SIZE) ufrag = value.toString('latin1').split(':', 1)[0]
    if (type === USE_CANDIDATE) useCandidate = true
  })
  return signed && ufrag !== undefined ? { ...signed, ufrag, useCandidate } : undefined
}

/** Reads the answer to a check of ours, undefined if it is anything else. */
export function readBindingResponse(packet: Buffer): SignedMessage | undefined {
  return readSigned(packet, BINDING_RESPONSE, () => {})
}

function readSigned(
  packet: Buffer,
  expected: number,
  onAttribute: (type: number, value: Buffer) => void,
): SignedMessage | undefined {
  if (packet.length < HEADER_SIZE || packet.readUInt16BE(0) !== expected) return undefined
  if (packet.readUInt16BE(2) !== packet.length - HEADER_SIZE || packet.readUInt32BE(4) !== MAGIC_COOKIE)
    return undefined
  for (const { type, value, at } of attributes(packet)) {
    if (type === MESSAGE_INTEGRITY) {
      if (value.length !== DIGEST_SIZE) return undefined
      const covered = Buffer.from(packet.subarray(0, at))
      covered.writeUInt16BE(at + 4 + DIGEST_SIZE - HEADER_SIZE, 2)
      return { transactionId: packet.subarray(8, HEADER_SIZE), covered, digest: value }
    }
    onAttribute(type, value)
  }
  return undefined
}

/** The attributes of a message in order, up to the first that is cut off. */
export function* attributes(message: Buffer): Iterable<{ type: number; value: Buffer; at: number }> {
  let at = HEADER_SIZE
  while (at + 4 <= message.length) {
    const size = message.readUInt16BE(at + 2)
    if (at + 4 + size > message.length) return
    yield { type: message.readUInt16BE(at), value: message.subarray(at + 4, at + 4 + size), at }
    at += 4 + size + padding(size)
  }
}

/** Whether the sender knows the password. */
export function isAuthentic({ covered, digest }: SignedMessage, pwd: string): boolean {
  return timingSafeEqual(digestOf(covered, pwd), digest)
}

export function writeBindingResponse(transactionId: Buffer, source: Address, pwd: string): Buffer {
  return writeMessage(BINDING_RESPONSE, transactionId, [[XOR_MAPPED_ADDRESS, xorAddress(source, transactionId)]], pwd)
}

/** A check of ours. The peer expects the ufrag that it was given for us, and its own password. */
export function writeBindingRequest(transactionId: Buffer, remote: IceCredentials, localUfrag: string): Buffer {
  const content = [
    [USERNAME, Buffer.from(`${remote.ufrag}:${localUfrag}`)],
    [PRIORITY, uint(4, CHECK_PRIORITY)],
    [ICE_CONTROLLED, TIE_BREAKER],
  ] as const
  return writeMessage(BINDING_REQUEST, transactionId, content, remote.pwd)
}

/** A message with its digest and checksum. */
export function writeMessage(
  type: number,
  transactionId: Buffer,
  content: readonly (readonly [type: number, value: Buffer])[],
  pwd: string,
): Buffer {
  const plain = Buffer.concat(content.map(([kind, value]) => attribute(kind, value)))
  const begin = (size: number) =>
    Buffer.concat([uint(2, type), uint(2, size), uint(4, MAGIC_COOKIE), transactionId, plain])
  const digest = digestOf(begin(plain.length + 4 + DIGEST_SIZE), pwd)
  const message = Buffer.concat([begin(plain.length + 4 + DIGEST_SIZE + 8), attribute(MESSAGE_INTEGRITY, digest)])
  const checksum = (crc32(message) ^ FINGERPRINT_MASK) >>> 0
  return Buffer.concat([message, attribute(FINGERPRINT, uint(4, checksum))])
}

function attribute(type: number, value: Buffer): Buffer {
  return Buffer.concat([uint(2, type), uint(2, value.length), value, Buffer.alloc(padding(value.length))])
}

function padding(size: number): number {
  return (4 - (size % 4)) % 4
}

function digestOf(covered: Buffer, pwd: string): Buffer {
  return createHmac('sha1', pwd).update(covered).digest()
}

function xorAddress({ address, port }: Address, transactionId: Buffer): Buffer {
  const mask = Buffer.concat([uint(4, MAGIC_COOKIE), transactionId])
  const bytes = addressBytes(address)
  const family = bytes.length === 4 ? 1 : 2
  const hidden = bytes.map((byte, at) => byte ^ mask[at]!)
  return Buffer.concat([Buffer.of(0, family), uint(2, port ^ (MAGIC_COOKIE >>> 16)), hidden])
}
