/** Where numbering starts: early packets that arrive late must not become negative. */
export const FIRST_CYCLE = 0x1_0000

/** The number nearest to `latest` that ends in the 16 bits of a sequence number; `latest` is undefined for the first packet. */
export function unwrapSequence(sequenceNumber: number, latest: number | undefined): number {
  if (latest === undefined) return FIRST_CYCLE + sequenceNumber
  // Sign extension yields the shorter way round.
  return latest + (((sequenceNumber - latest) << 16) >> 16)
}

/** How much later `timestamp` is than `earlier`, in units of the RTP clock; negative if it is earlier. */
export const timestampDistance = (timestamp: number, earlier: number): number => (timestamp - earlier) | 0
