export interface ReplayWindow {
  /** The highest number accepted so far, -1 before the first. */
  readonly highest: number
  /** Whether a packet with this number has been accepted before, or is too old to tell. */
  has(index: number): boolean
  /** Call only once the packet has proved authentic, or a forged one could move the window. */
  add(index: number): void
}

/**
 * Recognizes packets that come a second time, by their numbers. The size is a power of two of at least 32. Numbers up to
 * `highest` count as accepted when a window takes over from another.
 */
export function createReplayWindow(size: number, highest = -1): ReplayWindow {
  const floor = highest
  const seen = new Uint32Array(size / 32)
  const word = (index: number) => (index % size) >>> 5
  const bit = (index: number) => (1 << (index % 32)) >>> 0
  return {
    get highest() {
      return highest
    },
    has(index) {
      if (index <= floor || index <= highest - size) return true
      return index <= highest && (seen[word(index)]! & bit(index)) !== 0
    },
    add(index) {
      if (index - highest >= size) seen.fill(0)
      else for (let skipped = highest + 1; skipped <= index; skipped += 1) seen[word(skipped)]! &= ~bit(skipped)
      seen[word(index)]! |= bit(index)
      if (index > highest) highest = index
    },
  }
}
