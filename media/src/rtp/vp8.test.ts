import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { startsH264Keyframe } from './h264.ts'
import { readVp8, rewriteVp8 } from './vp8.ts'

const KEYFRAME = 0x50
const DELTA = 0x51

describe('readVp8', () => {
  it('reads what Chromium sends: 15 bits of picture id, the base layer index and the temporal layer', () => {
    const payload = Buffer.from([0x90, 0xe0, 0x92, 0x34, 0x56, 0x60, KEYFRAME, 1, 2])
    expect(readVp8(payload)).toEqual({
      startsKeyframe: true,
      pictureId: 0x1234,
      isLongPictureId: true,
      pictureIdAt: 2,
      tl0PictureIndex: 0x56,
      tl0At: 4,
      temporalLayer: 1,
      isTemporalSync: true,
    })
  })

  it('reads descriptors without extensions and with short picture ids', () => {
    expect(readVp8(Buffer.from([0x10, DELTA]))).toMatchObject({ startsKeyframe: false, pictureId: null })
    expect(readVp8(Buffer.from([0x90, 0x80, 0x7f, KEYFRAME]))).toMatchObject({ startsKeyframe: true, pictureId: 0x7f })
  })

  it('takes only the first packet of the first partition for the start of a keyframe', () => {
    expect(readVp8(Buffer.from([0x00, KEYFRAME]))?.startsKeyframe).toBe(false)
    expect(readVp8(Buffer.from([0x11, KEYFRAME]))?.startsKeyframe).toBe(false)
  })

  it('never throws', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 12 }), (bytes) => void readVp8(Buffer.from(bytes))))
  })
})

describe('rewriteVp8', () => {
  it('changes the numbers, and nothing else', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 2, maxLength: 12 }), fc.nat(0x7fff), fc.nat(255), (bytes, id, index) => {
        const payload = Buffer.from(bytes)
        const before = readVp8(payload)
        if (!before) return
        rewriteVp8(payload, before, id, index)
        expect(readVp8(payload)).toEqual({
          ...before,
          pictureId: before.pictureId === null ? null : id & (before.isLongPictureId ? 0x7fff : 0x7f),
          tl0PictureIndex: before.tl0PictureIndex === null ? null : index,
        })
      }),
      { numRuns: 1000 },
    )
  })
})

describe('startsH264Keyframe', () => {
  it('finds sequence parameters alone and inside of an aggregate', () => {
    expect(startsH264Keyframe(Buffer.from([0x67, 1, 2]))).toBe(true)
    expect(startsH264Keyframe(Buffer.from([0x78, 0, 2, 0x09, 0xf0, 0, 1, 0x67]))).toBe(true)
    expect(startsH264Keyframe(Buffer.from([0x78, 0, 1, 0x68, 0, 1, 0x65]))).toBe(false)
    expect(startsH264Keyframe(Buffer.from([0x41, 1, 2]))).toBe(false)
    expect(startsH264Keyframe(Buffer.from([0x7c, 0x85, 1]))).toBe(false)
  })

  it('never throws and always ends', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => void startsH264Keyframe(Buffer.from(bytes))))
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        startsH264Keyframe(Buffer.concat([Buffer.from([0x78]), bytes]))
      }),
    )
  })
})
