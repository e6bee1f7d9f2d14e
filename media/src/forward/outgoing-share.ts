import type { Quality, Share } from './allocate.ts'
import { Skimming } from './skimming.ts'

/** A layer that was too much isn't tried again before this time (ms) has passed, and later each time; unless everything fits. */
const [SHORTEST_RELAPSE, LONGEST_RELAPSE] = [3000, 12_000]

/** What a picture gets of its viewer's bandwidth. */
export class OutgoingShare {
  /** For a picture of which not even the lowest quality fits; null otherwise. */
  skimming: Skimming | null = null
  #share: Share | null = null
  #loweredAt = -Infinity
  #raisedAt = -Infinity
  #relapse = SHORTEST_RELAPSE

  /** Whether there is a limit. */
  get isLimited(): boolean {
    return this.#share !== null
  }

  /** The highest layer; null for no limit. */
  get layer(): number | null {
    return this.#share?.layer ?? null
  }

  /** The place of what it gets now among these qualities; -1 for nothing. */
  placeIn(qualities: readonly Quality[]): number {
    const share = this.#share
    if (share === null) return qualities.length - 1
    if (share.atMost !== null) return -1
    return qualities.findLastIndex(
      ({ layer, temporal }) => layer < share.layer || (layer === share.layer && temporal <= share.temporal),
    )
  }

  /** Null for no limit. `best` is the highest quality that is of use. */
  set(share: Share | null, best: Quality | undefined, now: number): void {
    const before = this.#share
    const next = share && before && this.#isTooSoon(share, before, best, now) ? stayWith(before, share) : share
    this.#share = next
    if (before && next && next.layer < before.layer) this.#lowered(now)
    else if (before && next && next.layer > before.layer) this.#raisedAt = now
    if (next === null || next.atMost === null) this.skimming = null
    else (this.skimming ??= new Skimming(now)).setBitrate(next.atMost)
  }

  isTooHigh(layer: number): boolean {
    return this.#share !== null && layer > this.#share.layer
  }

  /** The highest temporal layer that is sent of this layer: as little as possible while another one is awaited. */
  temporalIn(layer: number): number {
    const share = this.#share
    if (!share || layer < share.layer) return Infinity
    return layer > share.layer ? 0 : share.temporal
  }

  #isTooSoon(share: Share, before: Share, best: Quality | undefined, now: number): boolean {
    if (share.layer <= before.layer || now - this.#loweredAt >= this.#relapse) return false
    return share.layer !== best?.layer || share.temporal !== best.temporal
  }

  #lowered(now: number): void {
    const isRelapse = now - this.#raisedAt < this.#relapse * 2
    this.#relapse = isRelapse ? Math.min(LONGEST_RELAPSE, this.#relapse * 2) : SHORTEST_RELAPSE
    this.#loweredAt = now
  }
}

function stayWith({ layer }: Share, { atMost }: Share): Share {
  return { layer, temporal: Infinity, atMost }
}
