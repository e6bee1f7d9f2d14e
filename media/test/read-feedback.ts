import { visitArrivals, type TransportFeedback } from '../src/rtp/transport-feedback.ts'

/** Null if the content is malformed. */
export function readFeedback(content: Buffer): TransportFeedback | null {
  if (content.length < 8) return null
  const baseSequence = content.readUInt16BE(0)
  const arrivals: (number | null)[] = Array.from({ length: content.readUInt16BE(2) }, () => null)
  const isWhole = visitArrivals(content, (number, arrival) => {
    arrivals[(number - baseSequence) & 0xffff] = arrival
  })
  return isWhole ? { baseSequence, feedbackCount: content[7]!, arrivals } : null
}
