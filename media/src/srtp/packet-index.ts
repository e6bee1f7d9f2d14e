const SEQUENCE_NUMBERS = 0x1_0000

/**
 * The number of a packet among all of its stream, of which its header carries the last 16 bits: the one nearest to the highest
 * so far (RFC 3711, appendix A). A stream begins before its first roll-over.
 */
export function packetIndex(sequenceNumber: number, highest: number): number {
  if (highest < 0) return sequenceNumber
  const rollOvers = Math.floor(highest / SEQUENCE_NUMBERS)
  const distance = sequenceNumber - (highest % SEQUENCE_NUMBERS)
  const index = rollOvers * SEQUENCE_NUMBERS + sequenceNumber
  if (distance > SEQUENCE_NUMBERS / 2 && rollOvers > 0) return index - SEQUENCE_NUMBERS
  return distance < -SEQUENCE_NUMBERS / 2 ? index + SEQUENCE_NUMBERS : index
}

export function rollOversOf(index: number): number {
  return Math.floor(index / SEQUENCE_NUMBERS)
}
