import type { Circumstance, Exchange } from './exchanges.ts'

/** In milliseconds: the deadline of a request, and some more because the clock of the service isn’t ours. */
const DEADLINE = 10_000
const TOLERANCE = 5_000
/** In milliseconds: an event that was on its way when a right was taken away. */
const ON_THE_WAY = 15_000
/** In milliseconds: how long after a fault its consequences may show. */
const AFTERMATH = 30_000
/** In milliseconds: how long a request may wait until a busy program reads it, after those of everyone else. */
const LONGEST_WAIT = 180_000
/** What holds requests or programs still, so that they go on later. Other faults end what is on its way. */
const HOLDING = /^(freeze|hold|delay|jump)-/
/** Where a connection breaks, the program may have got the request nevertheless. */
const OF_NETWORKS = /^(cut|refuse|hold|delay)-clients$/
/** In milliseconds: how long a machine may have been busy before it counts as such. */
const NOTICED_AFTER = 15_000

interface Span {
  readonly from: number
  readonly to: number
}

interface FaultSpan extends Span {
  readonly fault: string
  /** In milliseconds: by how much a clock is wrong meanwhile. */
  readonly clockOffset?: number
}

/** When something was made to fail, and what that means for the times of everything else. */
export class Faults {
  /** In the order of their beginnings. */
  readonly spans: readonly FaultSpan[]
  /** For each span, the latest end of it and those before it. */
  readonly #latestEnds: readonly number[]
  /** There is nothing between the clients and the program but their network. */
  readonly #isSingle: boolean

  constructor(entries: readonly Circumstance[]) {
    this.spans = faultSpans(entries).toSorted((a, b) => a.from - b.from)
    this.#isSingle = entries.some((entry) => entry.kind === 'head' && entry.mode === 'single')
    let latest = -Infinity
    this.#latestEnds = this.spans.map(({ to }) => (latest = Math.max(latest, to)))
  }

  /** Whether a fault, or what it leaves behind, can explain what happened between these times. */
  explain({ from, to }: Span): boolean {
    const latestEnd = this.#latestEnds[this.#countUntil(to) - 1]
    return latestEnd !== undefined && from < latestEnd + AFTERMATH
  }

  /** The same for what no slowness of the machine can explain. */
  explainLoss({ from, to }: Span): boolean {
    return this.spans.some(({ fault, ...span }) => fault !== BUSY && from < span.to + AFTERMATH && to > span.from)
  }

  /** The latest time at which a request may have had an effect: its end, or its deadline, from when a frozen network let it through. */
  latestEffect({ at, end, status, brokenAt, readBy = at + LONGEST_WAIT }: Exchange): number {
    if (status !== undefined) return end
    if (brokenAt !== undefined && this.#endsWithConnection({ from: at, to: brokenAt })) return brokenAt + TOLERANCE
    let latest = at + DEADLINE + TOLERANCE
    for (const { fault, from, to } of this.spans) {
      if (from > latest || to < at || !(HOLDING.test(fault) || fault === BUSY)) continue
      const until = fault === BUSY ? Math.min(to, readBy) : to
      latest = Math.max(latest, until + DEADLINE + TOLERANCE)
    }
    return latest
  }

  /** Only the program itself can have broken the connection, by its end or when it decided what became of the request. */
  #endsWithConnection(during: Span): boolean {
    if (!this.#isSingle) return false
    return !this.spans.some(({ fault, from, to }) => {
      return OF_NETWORKS.test(fault) && from <= during.to && to + TOLERANCE >= during.from
    })
  }

  /** In milliseconds: how far apart two readings of the service’s clocks between these times may be beyond the time that has passed. */
  clockError(from: number, to: number): number {
    const offsets = this.spans
      .filter((span) => span.clockOffset !== undefined && span.from <= to && span.to >= from)
      .map(({ clockOffset = 0 }) => clockOffset)
    return Math.max(0, ...offsets) - Math.min(0, ...offsets)
  }

  /** The earliest time at which something that arrived now may have been sent. */
  earliestSent(arrived: number): number {
    let earliest = arrived - ON_THE_WAY
    for (let position = this.#countUntil(arrived) - 1; position >= 0; position -= 1) {
      // All spans before it ended earlier, too.
      if ((this.#latestEnds[position] ?? -Infinity) < earliest) break
      const { from, to } = this.spans[position] ?? NEVER
      if (to >= earliest) earliest = Math.min(earliest, from - ON_THE_WAY)
    }
    return earliest
  }

  /** How many spans begin before this time. */
  #countUntil(time: number): number {
    let [low, high] = [0, this.spans.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.spans[middle]?.from ?? Infinity) < time) low = middle + 1
      else high = middle
    }
    return low
  }
}

const NEVER: Span = { from: Infinity, to: -Infinity }
const BUSY = 'busy machine'

function faultSpans(entries: readonly Circumstance[]): FaultSpan[] {
  const spans: { from: number; to: number; fault: string; clockOffset?: number }[] = []
  for (const entry of entries) {
    if (entry.kind === 'busy') {
      const last = spans.findLast(({ fault }) => fault === BUSY)
      if (entry.what === 'begins') spans.push({ from: entry.at - NOTICED_AFTER, to: Infinity, fault: BUSY })
      else if (last) last.to = entry.at
    }
    if (entry.kind !== 'fault') continue
    if (entry.what === 'begins') {
      const { at: from, fault, clockOffset } = entry
      spans.push({ from, to: Infinity, fault, ...(clockOffset !== undefined && { clockOffset }) })
    } else {
      const open = spans.findLast(({ to, fault }) => to === Infinity && fault === entry.fault)
      if (open) open.to = entry.at
    }
  }
  return spans
}
