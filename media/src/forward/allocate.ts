/** One quality of a picture, and what it needs. */
export interface Quality {
  readonly layer: number
  /** The highest temporal layer. */
  readonly temporal: number
  readonly bitrate: number
}

/** A picture that a viewer shows. */
export interface Wish {
  /** On the screen, in pixels. */
  readonly area: number
  /** From the lowest to the highest that is of use; at least one. */
  readonly qualities: readonly Quality[]
  /** What is sent now; -1 for nothing. */
  readonly current: number
}

export interface Share {
  readonly layer: number
  readonly temporal: number
  /** Bits per second, if not even the lowest quality fits: pictures are left out. Null otherwise. */
  readonly atMost: number | null
}

/** More than is sent now has to fit with room to spare, or it would come and go. */
const MARGIN = 1.1

/**
 * Divides a viewer's bandwidth, in bits per second. Every picture gets its lowest quality first; then the largest gets as much as
 * fits, then the next.
 */
export function allocate(budget: number, wishes: readonly Wish[]): Share[] {
  const order = wishes.map((_, index) => index).sort((a, b) => wishes[b]!.area - wishes[a]!.area)
  const chosen = wishes.map(() => -1)
  let left = budget
  for (const index of order) {
    const { bitrate } = wishes[index]!.qualities[0]!
    if (bitrate > left) continue
    chosen[index] = 0
    left -= bitrate
  }
  for (const index of order) {
    if (chosen[index] === -1) continue
    const { qualities, current } = wishes[index]!
    const lowest = qualities[0]!.bitrate
    const best = qualities.findLastIndex(
      ({ bitrate }, quality) => (bitrate - lowest) * (quality > current ? MARGIN : 1) <= left,
    )
    if (best <= 0) continue
    chosen[index] = best
    left -= qualities[best]!.bitrate - lowest
  }
  const shares: Share[] = []
  for (const index of order) {
    const { qualities } = wishes[index]!
    const { layer, temporal } = qualities[Math.max(0, chosen[index]!)]!
    const fits = chosen[index] !== -1
    shares[index] = { layer, temporal, atMost: fits ? null : Math.max(0, left) }
    // What is left over goes to the largest picture that doesn't fit.
    if (!fits) left = 0
  }
  return shares
}
