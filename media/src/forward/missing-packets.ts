/** Packets overtake each other; this long a gap may close by itself. */
const REORDERING = 10
const FIRST_RETRY = 60
const MAX_TRIES = 8
/** A larger gap is an interruption, which only a keyframe repairs. */
const MAX_GAP = 256
const MAX_MISSING = 512

interface Gap {
  tries: number
  askAt: number
  askedAt: number
}

/** The packets of one stream that have not arrived, and when to ask for them. */
export class MissingPackets {
  readonly #gaps = new Map<number, Gap>()
  /** Given up. */
  lost = 0
  /** Milliseconds from a request to the packet; null while unknown. */
  roundTripTime: number | null = null

  get size(): number {
    return this.#gaps.size
  }

  /** The packets between `after` and `before` were skipped. */
  add(after: number, before: number, now: number): void {
    const first = Math.max(after + 1, before - MAX_GAP)
    this.lost += first - after - 1
    for (let extended = first; extended < before; extended++) {
      this.#gaps.set(extended, { tries: 0, askAt: now + REORDERING, askedAt: 0 })
    }
    for (const extended of this.#gaps.keys()) {
      if (this.#gaps.size <= MAX_MISSING) break
      this.#giveUp(extended)
    }
  }

  /** `isRepair`: as a retransmission, not late by itself. */
  arrived(extended: number, isRepair: boolean, now: number): void {
    const gap = this.#gaps.get(extended)
    if (!gap) return
    this.#gaps.delete(extended)
    // After several requests nobody knows which of them was answered.
    if (isRepair && gap.tries === 1) this.roundTripTime = now - gap.askedAt
  }

  /** Those to ask for now, in ascending order. */
  due(now: number): number[] {
    const due: number[] = []
    for (const [extended, gap] of this.#gaps) {
      if (gap.askAt > now) continue
      if (gap.tries >= MAX_TRIES) {
        this.#giveUp(extended)
        continue
      }
      gap.tries += 1
      gap.askedAt = now
      gap.askAt = now + Math.max(FIRST_RETRY, (this.roundTripTime ?? 0) * 1.5) * gap.tries
      due.push(extended)
    }
    return due.sort((a, b) => a - b)
  }

  #giveUp(extended: number): void {
    this.#gaps.delete(extended)
    this.lost += 1
  }
}
