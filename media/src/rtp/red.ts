import type { RtpPacket } from './packet.ts'

/** Redundant audio (RED, RFC 2198): a packet that repeats earlier sound before its own. */

/** What has 14 bits for its age, in units of the clock, and 10 for its length. */
const MAX_AGE = 0x3fff
const MAX_LENGTH = 0x3ff
const EARLIER_HEADER_SIZE = 4
/** More that a packet repeats isn't looked at: it would let a publisher multiply what viewers receive. */
const MAX_EARLIER = 2

const NOTHING: Buffer = Buffer.alloc(0)

interface Block {
  readonly payloadType: number
  readonly age: number
  readonly payload: Buffer
}

/**
 * The packets that one stands for, from the earliest on; the last is its own. Null if a length inside exceeds it, or if its own
 * sound isn't of this payload type.
 */
export function readRed(packet: RtpPacket, payloadType: number): RtpPacket[] | null {
  const { payload, sequenceNumber, timestamp } = packet
  // Only padding.
  if (payload.length === 0) return [{ ...packet, payloadType }]
  const blocks = readBlocks(payload)
  const own = blocks?.at(-1)
  if (!blocks || own?.payloadType !== payloadType) return null
  const earlier = blocks.slice(0, -1).flatMap((block, at) => {
    const distance = blocks.length - 1 - at
    if (distance > MAX_EARLIER || block.payloadType !== payloadType || block.payload.length === 0) return []
    return {
      ...packet,
      payloadType,
      payload: block.payload,
      sequenceNumber: (sequenceNumber - distance) & 0xffff,
      timestamp: (timestamp - block.age) >>> 0,
      // They are about the packet's own sound.
      isMarked: false,
      extensions: NOTHING,
    }
  })
  return [...earlier, { ...packet, payloadType, payload: own.payload }]
}

function readBlocks(payload: Buffer): Block[] | null {
  const headers: { payloadType: number; age: number; length: number }[] = []
  let at = 0
  while (payload[at]! >= 0x80) {
    if (at + EARLIER_HEADER_SIZE >= payload.length) return null
    const header = payload.readUInt32BE(at)
    headers.push({ payloadType: (header >>> 24) & 0x7f, age: (header >>> 10) & MAX_AGE, length: header & MAX_LENGTH })
    at += EARLIER_HEADER_SIZE
  }
  const own = payload[at]!
  at += 1
  const blocks: Block[] = []
  for (const { payloadType, age, length } of headers) {
    if (at + length > payload.length) return null
    blocks.push({ payloadType, age, payload: payload.subarray(at, at + length) })
    at += length
  }
  return [...blocks, { payloadType: own, age: 0, payload: payload.subarray(at) }]
}

/** Sound as it was sent without redundancy. */
export interface SoundFrame {
  readonly timestamp: number
  readonly payload: Buffer
}

/** Whether sound may be repeated in a packet with this timestamp. */
export function isRepeatable({ timestamp, payload }: SoundFrame, later: number): boolean {
  const age = (later - timestamp) >>> 0
  return age > 0 && age <= MAX_AGE && payload.length > 0 && payload.length <= MAX_LENGTH
}

/** Writes a payload that repeats earlier sound, from the earliest on. Returns its length; 0 if the target is too small. */
export function writeRed(target: Buffer, payloadType: number, earlier: readonly SoundFrame[], own: SoundFrame): number {
  const frames = [...earlier, own]
  const size = frames.reduce((sum, { payload }) => sum + payload.length, EARLIER_HEADER_SIZE * earlier.length + 1)
  if (size > target.length) return 0
  let at = 0
  for (const { timestamp, payload } of earlier) {
    const age = (own.timestamp - timestamp) >>> 0
    target.writeUInt32BE(((0x80 | payloadType) * 0x100_0000 + age * 0x400 + payload.length) >>> 0, at)
    at += EARLIER_HEADER_SIZE
  }
  target[at] = payloadType
  at += 1
  for (const { payload } of frames) at += payload.copy(target, at)
  return at
}
