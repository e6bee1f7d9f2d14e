/**
 * Transport-wide congestion control (draft-holmer-rmcat-transport-wide-cc-extensions-01): tells a sender when each of its
 * packets arrived, from which it estimates the bandwidth of the path.
 */
export interface TransportFeedback {
  /** Of the first packet, 16 bits. */
  readonly baseSequence: number
  /** Counts the messages, 8 bits. */
  readonly feedbackCount: number
  /** Milliseconds on the receiver's clock, one for each packet from the base on; null for those that did not arrive. */
  readonly arrivals: readonly (number | null)[]
}

/** Deltas have a resolution of 250 µs, the reference time one of 64 ms. */
const TICKS_PER_MS = 4
const REFERENCE_TICKS = 256
const [MISSING, SMALL, LARGE] = [0, 1, 2]
const MAX_RUN = 0x1fff
const VECTOR_SIZE = 7

/**
 * The content of the message. Ends before a packet whose distance in time can't be written (8 s): `written` says how many
 * packets are in it.
 */
export function writeFeedbackContent(feedback: TransportFeedback): { content: Buffer; written: number } {
  const first = feedback.arrivals.find((arrival) => arrival !== null) ?? 0
  const reference = Math.floor((first * TICKS_PER_MS) / REFERENCE_TICKS)
  const symbols: number[] = []
  const deltas: number[] = []
  let last = reference * REFERENCE_TICKS
  for (const arrival of feedback.arrivals) {
    if (arrival === null) {
      symbols.push(MISSING)
      continue
    }
    const delta = Math.round(arrival * TICKS_PER_MS) - last
    if (delta < -0x8000 || delta > 0x7fff) break
    last += delta
    symbols.push(delta >= 0 && delta <= 0xff ? SMALL : LARGE)
    deltas.push(delta)
  }
  const chunks = writeChunks(symbols)
  const size = 8 + chunks.length * 2 + deltas.reduce((sum, delta) => sum + (isSmall(delta) ? 1 : 2), 0)
  const content = Buffer.alloc(Math.ceil(size / 4) * 4)
  content.writeUInt16BE(feedback.baseSequence, 0)
  content.writeUInt16BE(symbols.length, 2)
  content.writeUIntBE(reference & 0xffffff, 4, 3)
  content[7] = feedback.feedbackCount & 0xff
  let at = 8
  for (const chunk of chunks) at = content.writeUInt16BE(chunk, at)
  for (const delta of deltas) at = isSmall(delta) ? content.writeUInt8(delta, at) : content.writeInt16BE(delta, at)
  return { content, written: symbols.length }
}

const isSmall = (delta: number): boolean => delta >= 0 && delta <= 0xff

/** A long run of one symbol takes one chunk; otherwise a chunk holds seven symbols of two bits. */
function writeChunks(symbols: readonly number[]): number[] {
  const chunks: number[] = []
  let at = 0
  while (at < symbols.length) {
    const symbol = symbols[at]!
    let run = 1
    while (run < MAX_RUN && symbols[at + run] === symbol) run += 1
    if (run >= VECTOR_SIZE) {
      chunks.push((symbol << 13) | run)
      at += run
      continue
    }
    let chunk = 0xc000
    for (let index = 0; index < VECTOR_SIZE; index++) chunk |= (symbols[at + index] ?? MISSING) << (12 - 2 * index)
    chunks.push(chunk)
    at += VECTOR_SIZE
  }
  return chunks
}

/**
 * Hands over the packets that arrived, in the order of their numbers, with the time of arrival in milliseconds on the receiver's clock,
 * which wraps after 2^30. Returns false if the content is malformed; it is read up to there. The work is bounded by the size of the
 * content, whatever the content says.
 */
export function visitArrivals(content: Buffer, visit: (sequenceNumber: number, arrival: number) => void): boolean {
  const deltasAt = content.length < 8 ? null : findDeltas(content)
  if (deltasAt === null) return false
  const base = content.readUInt16BE(0)
  const count = content.readUInt16BE(2)
  let last = content.readIntBE(4, 3) * REFERENCE_TICKS
  let deltaAt = deltasAt
  for (let [at, number] = [8, 0]; number < count; at += 2) {
    const chunk = content.readUInt16BE(at)
    const end = Math.min(count, number + chunkLength(chunk))
    if (isRunOfMissing(chunk)) number = end
    for (let index = 0; number < end; index++, number++) {
      const symbol = symbolIn(chunk, index)
      if (symbol !== SMALL && symbol !== LARGE) continue
      if (deltaAt + symbol > content.length) return false
      last += symbol === SMALL ? content[deltaAt]! : content.readInt16BE(deltaAt)
      deltaAt += symbol
      visit((base + number) & 0xffff, last / TICKS_PER_MS)
    }
  }
  return true
}

/** Where the chunks end; null if they don't. */
function findDeltas(content: Buffer): number | null {
  const count = content.readUInt16BE(2)
  let at = 8
  for (let number = 0; number < count; at += 2) {
    if (at + 2 > content.length) return null
    const length = chunkLength(content.readUInt16BE(at))
    // A run of zero would never end.
    if (length === 0) return null
    number += length
  }
  return at
}

function chunkLength(chunk: number): number {
  if (chunk < 0x8000) return chunk & MAX_RUN
  return chunk < 0xc000 ? 14 : VECTOR_SIZE
}

/** The reserved symbol has no time of arrival either. */
function isRunOfMissing(chunk: number): boolean {
  const symbol = chunk >> 13
  return symbol === MISSING || symbol === 3
}

function symbolIn(chunk: number, index: number): number {
  if (chunk < 0x8000) return chunk >> 13
  return chunk < 0xc000 ? (chunk >> (13 - index)) & 1 : (chunk >> (12 - 2 * index)) & 3
}
