import type { Span, Verdict } from './channel-state.ts'

/** From this time on, until the next range begins, this is the answer. */
export interface Range {
  readonly from: number
  readonly verdict: Verdict
}

/** The answer to one question about a channel through time. */
export class Track {
  readonly #ranges: readonly Range[]

  constructor(ranges: Iterable<Range>) {
    const merged: Range[] = []
    for (const range of ranges) if (merged.at(-1)?.verdict !== range.verdict) merged.push(range)
    this.#ranges = merged
  }

  /** The verdict if it is the same during the whole span. */
  during({ from, to }: Span): Verdict {
    const position = this.#positionAt(from)
    const first = this.#ranges[position]
    if (!first || first.from > to) return 'unsure'
    const next = this.#ranges[position + 1]
    return next && next.from <= to ? 'unsure' : first.verdict
  }

  /** The time from which on the answer may be another one than yes. */
  holdsUntil(from: number): number {
    const position = this.#positionAt(from)
    const first = this.#ranges[position]
    if (first && first.verdict !== 'yes') return first.from
    return this.#ranges[position + 1]?.from ?? Infinity
  }

  /** The last range that begins before this time, or else the first one. */
  #positionAt(time: number): number {
    let [low, high] = [0, this.#ranges.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#ranges[middle]?.from ?? Infinity) < time) low = middle + 1
      else high = middle
    }
    return Math.max(0, low - 1)
  }
}
