import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SkippedPackets } from './skipped-packets.ts'

describe('SkippedPackets', () => {
  it('closes the gaps, and finds packets again by their closed numbers', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 300 }), (list) => {
        const skipped = new SkippedPackets()
        const sent: number[] = []
        for (const [extended, isSkipped] of list.entries()) {
          if (isSkipped) skipped.add(extended, extended >> 1)
          else sent.push(extended)
        }
        const closed = sent.map((extended) => extended - skipped.packetsBefore(extended))
        expect(closed).toEqual(sent.map((_, index) => index))
        expect(closed.map((number) => skipped.locate(number))).toEqual(sent)
        for (const [extended, isSkipped] of list.entries()) expect(skipped.has(extended)).toBe(isSkipped)
      }),
    )
  })

  it('counts a picture of several packets once', () => {
    const skipped = new SkippedPackets()
    skipped.add(10, 5)
    skipped.add(11, 5)
    skipped.add(12, 6)
    skipped.add(20, 9)
    expect([10, 13, 20, 21].map((extended) => skipped.picturesBefore(extended))).toEqual([0, 2, 2, 3])
  })

  it('is right about what may still arrive, however much was skipped', () => {
    const skipped = new SkippedPackets()
    for (let extended = 0; extended < 5000; extended += 2) skipped.add(extended, extended)
    for (let extended = 4500; extended < 5000; extended++) {
      expect(skipped.packetsBefore(extended)).toBe(Math.ceil(extended / 2))
      if (extended % 2 === 1) expect(skipped.locate(extended - Math.ceil(extended / 2))).toBe(extended)
    }
  })
})
