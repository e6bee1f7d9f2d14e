import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readFeedback } from '../../test/read-feedback.ts'
import { visitArrivals, writeFeedbackContent } from './transport-feedback.ts'

const quarters = fc.integer({ min: -400, max: 4000 }).map((ticks) => ticks / 4)
const steps = fc.array(fc.option(quarters), { minLength: 1, maxLength: 300 })

describe('writeFeedbackContent', () => {
  it('tells when each packet arrived', () => {
    fc.assert(
      fc.property(steps, fc.nat(0xffff), fc.nat(255), (list, baseSequence, feedbackCount) => {
        let now = 100_000
        const arrivals = list.map((step) => (step === null ? null : (now += step)))
        const { content, written } = writeFeedbackContent({ baseSequence, feedbackCount, arrivals })
        expect(written).toBe(arrivals.length)
        expect(content.length % 4).toBe(0)
        expect(readFeedback(content)).toEqual({ baseSequence, feedbackCount, arrivals })
      }),
    )
  })

  it('ends before a packet that is too far away in time', () => {
    const arrivals = [1000, 1001, 60_000, 60_001]
    expect(writeFeedbackContent({ baseSequence: 0, feedbackCount: 0, arrivals }).written).toBe(2)
  })

  it('writes long runs in one chunk', () => {
    const arrivals = Array.from({ length: 300 }, (_, index) => 640 + index)
    expect(writeFeedbackContent({ baseSequence: 0, feedbackCount: 0, arrivals }).content).toHaveLength(8 + 2 + 300 + 2)
  })
})

describe('visitArrivals', () => {
  const visited = (content: Buffer): { isWhole: boolean; arrivals: [number, number][] } => {
    const arrivals: [number, number][] = []
    return { isWhole: visitArrivals(content, (number, arrival) => void arrivals.push([number, arrival])), arrivals }
  }

  it('never throws, and never names more packets than the header announces', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        const { isWhole, arrivals } = visited(Buffer.from(bytes))
        expect(arrivals.length).toBeLessThanOrEqual(bytes.length)
        if (isWhole) expect(arrivals.length).toBeLessThanOrEqual(Buffer.from(bytes).readUInt16BE(2))
      }),
      { numRuns: 1000 },
    )
  })

  it('reads symbols of one bit, and a time before that of the packet before', () => {
    // From number 65535 on, four packets, the reference 64 ms: arrived, missing, arrived, missing.
    const head = [0xff, 0xff, 0, 4, 0, 0, 1, 0]
    expect(visited(Buffer.from([...head, 0b1010_1000, 0, 8, 4]))).toEqual({
      isWhole: true,
      arrivals: [
        [65535, 66],
        [1, 67],
      ],
    })
    const large = [0b1111_1000, 0, 8, 0xff, 0xfc]
    const two = [...head.slice(0, 3), 2, ...head.slice(4)]
    expect(visited(Buffer.from([...two, 0b1101_1000, 0, ...large.slice(2)])).arrivals).toEqual([
      [65535, 66],
      [0, 65],
    ])
  })

  it('stops where a few bytes promise thousands of packets', () => {
    const promise = Buffer.from([
      0,
      0,
      0xff,
      0xff,
      0,
      0,
      0,
      0,
      ...Array.from({ length: 9 }, () => [0x3f, 0xff]).flat(),
      5,
    ])
    expect(visited(promise)).toEqual({ isWhole: false, arrivals: [[0, 1.25]] })
  })
})
