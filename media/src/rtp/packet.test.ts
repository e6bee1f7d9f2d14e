import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readAudioLevel } from './audio-level.ts'
import { readExtension, readRtp, writeRtpHeader, type RtpPacket } from './packet.ts'
import { timestampDistance, unwrapSequence } from './unwrap.ts'

const header = { isMarked: true, payloadType: 111, sequenceNumber: 65535, timestamp: 0xfffffff0, ssrc: 0xdeadbeef }

function packet(extension: { profile: number; content: number[] } | null, payload: number[], padding = 0): Buffer {
  const fixed = Buffer.alloc(12)
  writeRtpHeader(fixed, header)
  fixed[0] = 0x80 | (extension ? 0x10 : 0) | (padding > 0 ? 0x20 : 0)
  const parts = [fixed]
  if (extension) {
    const content = Buffer.from(extension.content)
    const head = Buffer.alloc(4)
    head.writeUInt16BE(extension.profile, 0)
    head.writeUInt16BE(content.length / 4, 2)
    parts.push(head, content)
  }
  const tail = Buffer.alloc(padding)
  if (padding > 0) tail[padding - 1] = padding
  return Buffer.concat([...parts, Buffer.from(payload), tail])
}

function read(bytes: Buffer): RtpPacket {
  const found = readRtp(bytes)
  if (!found) throw new Error('malformed')
  return found
}

describe('readRtp', () => {
  it('reads what writeRtpHeader wrote', () => {
    const { payload, extensions, ...rest } = read(packet(null, [1, 2, 3]))
    expect(rest).toEqual({ ...header, extensionForm: 'one-byte' })
    expect([...payload]).toEqual([1, 2, 3])
    expect(extensions).toHaveLength(0)
  })

  it('leaves out sources, extensions and padding', () => {
    const bytes = packet({ profile: 0xbede, content: [0x10, 0x85, 0, 0] }, [7, 7], 5)
    expect([...read(bytes).payload]).toEqual([7, 7])
    expect(read(packet(null, [], 8)).payload).toHaveLength(0)
    const withSources = Buffer.concat([bytes.subarray(0, 12), Buffer.alloc(8), bytes.subarray(12)])
    withSources[0] = withSources[0]! | 2
    expect([...read(withSources).payload]).toEqual([7, 7])
  })

  it('refuses packets whose lengths exceed them', () => {
    const bytes = packet({ profile: 0xbede, content: [0x10, 0x85, 0, 0] }, [7, 7], 3)
    for (let length = 0; length < 20; length++) expect(readRtp(bytes.subarray(0, length))).toBeNull()
    const padded = Buffer.from(bytes)
    padded[padded.length - 1] = 200
    expect(readRtp(padded)).toBeNull()
    padded[padded.length - 1] = 0
    expect(readRtp(padded)).toBeNull()
    expect(readRtp(Buffer.concat([Buffer.from([0x40]), bytes.subarray(1)]))).toBeNull()
  })

  it('never throws, and its views stay inside of the packet', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), fc.nat(255), (bytes, id) => {
        const buffer = Buffer.from(bytes)
        if (buffer.length > 0) buffer[0] = 0x80 | (buffer[0]! & 0x3f)
        const found = readRtp(buffer)
        if (!found) return
        expect(found.payload.length + found.extensions.length).toBeLessThanOrEqual(buffer.length - 12)
        readExtension(found, id)
        readAudioLevel(readExtension(found, id))
      }),
      { numRuns: 2000 },
    )
  })
})

describe('readExtension', () => {
  it('finds extensions in the one-byte form, across padding', () => {
    const found = read(packet({ profile: 0xbede, content: [0x10, 0x85, 0, 0x41, 0x61, 0x62, 0, 0] }, []))
    expect(readExtension(found, 4)?.toString()).toBe('ab')
    expect(readAudioLevel(readExtension(found, 1))).toEqual({ isVoice: true, decibelsBelow: 5 })
    expect(readExtension(found, 2)).toBeNull()
    expect(readExtension(found, undefined)).toBeNull()
  })

  it('finds extensions in the two-byte form, empty ones too', () => {
    const found = read(packet({ profile: 0x1000, content: [4, 2, 0x61, 0x62, 0, 20, 0, 0] }, []))
    expect(readExtension(found, 4)?.toString()).toBe('ab')
    expect(readExtension(found, 20)).toHaveLength(0)
    expect(readAudioLevel(readExtension(found, 20))).toBeNull()
  })

  it('ignores forms it does not know, and stops at id 15', () => {
    expect(readExtension(read(packet({ profile: 0x1234, content: [0x10, 1, 0, 0] }, [])), 1)).toBeNull()
    expect(readExtension(read(packet({ profile: 0xbede, content: [0xf0, 1, 0x10, 1] }, [])), 1)).toBeNull()
  })
})

describe('unwrapSequence', () => {
  it('continues over the wrap, and takes late packets back', () => {
    expect(unwrapSequence(2, unwrapSequence(65534, undefined))).toBe(65536 + 65538)
    expect(unwrapSequence(65530, 131074)).toBe(131066)
  })

  it('yields the number nearest to the latest', () => {
    fc.assert(
      fc.property(fc.integer({ min: 65536, max: 2 ** 40 }), fc.integer({ min: -32768, max: 32767 }), (latest, step) => {
        expect(unwrapSequence((latest + step) & 0xffff, latest)).toBe(latest + step)
      }),
    )
    expect(timestampDistance(5, 0xfffffffb)).toBe(10)
    expect(timestampDistance(0xfffffffb, 5)).toBe(-10)
  })
})
