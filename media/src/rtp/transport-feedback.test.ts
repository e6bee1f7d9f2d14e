import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readFeedbackContent, writeFeedbackContent } from './transport-feedback.ts'

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
        expect(readFeedbackContent(content)).toEqual({ baseSequence, feedbackCount, arrivals })
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

describe('readFeedbackContent', () => {
  it('never throws and never reads more packets than the header announces', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        const found = readFeedbackContent(Buffer.from(bytes))
        if (found) expect(found.arrivals.length).toBe(Buffer.from(bytes).readUInt16BE(2))
      }),
      { numRuns: 1000 },
    )
  })
})
