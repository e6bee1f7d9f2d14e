import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { rtpPacket } from '../../test/rtp-stream.ts'
import { readRtp, type RtpPacket } from './packet.ts'
import { isRepeatable, readRed, writeRed } from './red.ts'

const OPUS = 111

function packetOf(payload: Buffer, sequenceNumber = 10, timestamp = 9600): RtpPacket {
  const extensions = { 1: Buffer.from([20]) }
  const bytes = rtpPacket({ ssrc: 1, payloadType: 63, sequenceNumber, timestamp, extensions, isMarked: true, payload })
  return readRtp(bytes)!
}

/** The earlier frames have ages of 20 and 40 milliseconds. */
function redOf(...frames: string[]): Buffer {
  const [own = '', ...earlier] = frames.toReversed()
  const target = Buffer.alloc(1500)
  const repeated = earlier.map((text, at) => ({ timestamp: 9600 - 960 * (at + 1), payload: Buffer.from(text) }))
  const size = writeRed(target, OPUS, repeated.toReversed(), { timestamp: 9600, payload: Buffer.from(own) })
  return Buffer.from(target.subarray(0, size))
}

const read = (payload: Buffer, sequenceNumber?: number, timestamp?: number) =>
  readRed(packetOf(payload, sequenceNumber, timestamp), OPUS)?.map((packet) => ({
    text: packet.payload.toString(),
    sequenceNumber: packet.sequenceNumber,
    timestamp: packet.timestamp,
  }))

describe('readRed', () => {
  it('reads what Chromium sends: one earlier frame of 20 milliseconds, and its own', () => {
    const payload = Buffer.concat([Buffer.from([0xef, 0x0f, 0x00, 0x03, 0x6f]), Buffer.from('oldnew')])
    expect(read(payload)).toEqual([
      { text: 'old', sequenceNumber: 9, timestamp: 8640 },
      { text: 'new', sequenceNumber: 10, timestamp: 9600 },
    ])
  })

  it('counts numbers and timestamps across their wraps', () => {
    expect(read(redOf('a', 'b', 'c'), 1, 960)).toEqual([
      { text: 'a', sequenceNumber: 0xffff, timestamp: 0x1_0000_0000 - 960 },
      { text: 'b', sequenceNumber: 0, timestamp: 0 },
      { text: 'c', sequenceNumber: 1, timestamp: 960 },
    ])
  })

  it('keeps the marker and the header extensions to the packet’s own sound', () => {
    const packets = readRed(packetOf(redOf('a', 'b')), OPUS)
    expect(packets?.map(({ isMarked, extensions }) => [isMarked, extensions.length > 0])).toEqual([
      [false, false],
      [true, true],
    ])
  })

  it('passes over empty frames, foreign ones, and all but the two before its own', () => {
    expect(read(redOf('a', '', 'c'))?.map(({ text }) => text)).toEqual(['a', 'c'])
    expect(read(redOf('a', 'b', 'c', 'd'))?.map(({ text }) => text)).toEqual(['b', 'c', 'd'])
    const foreign = redOf('a', 'b')
    foreign[0] = 0x80 | 13
    expect(read(foreign)?.map(({ text }) => text)).toEqual(['b'])
  })

  it('takes padding without content for what it is, and refuses what is malformed or of another codec', () => {
    expect(read(Buffer.alloc(0))).toMatchObject([{ text: '' }])
    const whole = redOf('old', 'new')
    for (const size of [1, 4, 5, 6, 7]) expect(read(whole.subarray(0, size))).toBeUndefined()
    expect(readRed(packetOf(redOf('x')), 109)).toBeNull()
  })

  it('reads what writeRed has written, whatever it is', () => {
    const frames = fc.array(fc.string({ minLength: 1, maxLength: 200 }), { minLength: 1, maxLength: 3 })
    fc.assert(
      fc.property(frames, (texts) => {
        const payloads = texts.map((text) => Buffer.from(text).toString())
        expect(read(redOf(...payloads))?.map(({ text }) => text)).toEqual(payloads)
      }),
    )
  })

  it('never throws', () => {
    const bytes = fc.uint8Array({ maxLength: 60 }).map((some) => Buffer.from(some))
    fc.assert(
      fc.property(bytes, (payload) => void readRed(packetOf(payload), OPUS)),
      { numRuns: 2000 },
    )
  })
})

describe('writeRed', () => {
  it('writes nothing that does not fit', () => {
    const own = { timestamp: 960, payload: Buffer.alloc(50) }
    expect(writeRed(Buffer.alloc(50), OPUS, [], own)).toBe(0)
    expect(writeRed(Buffer.alloc(51), OPUS, [], own)).toBe(51)
  })
})

describe('isRepeatable', () => {
  it('is true for what has the age and the length that a header can say', () => {
    const frame = (timestamp: number, size = 1) => ({ timestamp, payload: Buffer.alloc(size) })
    expect(isRepeatable(frame(0), 960)).toBe(true)
    expect(isRepeatable(frame(0xffff_ff00), 200)).toBe(true)
    expect(isRepeatable(frame(0, 0x3ff), 0x3fff)).toBe(true)
    expect(isRepeatable(frame(0), 0x4000)).toBe(false)
    expect(isRepeatable(frame(0, 0x400), 960)).toBe(false)
    expect(isRepeatable(frame(0, 0), 960)).toBe(false)
    expect(isRepeatable(frame(960), 960)).toBe(false)
    expect(isRepeatable(frame(1920), 960)).toBe(false)
  })
})
