import { RING_SIZE } from './packet-ring.ts'

/** Runs of skipped packets that are remembered: as many as can be among the packets that are still accepted when they come late. */
const MAX_RUNS = RING_SIZE / 2

interface Run {
  readonly first: number
  last: number
  /** In this run and all before it. */
  packets: number
  pictures: number
}

/** What a viewer doesn't get of a layer, in ascending order: the numbers of what follows close the gaps. */
export class SkippedPackets {
  readonly #runs: Run[] = []
  /** In runs that are forgotten. */
  #packetsBefore = 0
  #picturesBefore = 0
  #lastPicture: number | null = null

  /** `picture` is its number, if it has one. */
  add(extended: number, picture: number | null): void {
    const last = this.#runs.at(-1)
    const isNew = picture === null || picture !== this.#lastPicture
    this.#lastPicture = picture
    if (last && last.last === extended - 1) {
      last.last = extended
      last.packets += 1
      if (isNew) last.pictures += 1
      return
    }
    const packets = (last?.packets ?? this.#packetsBefore) + 1
    const pictures = (last?.pictures ?? this.#picturesBefore) + (isNew ? 1 : 0)
    this.#runs.push({ first: extended, last: extended, packets, pictures })
    if (this.#runs.length <= MAX_RUNS) return
    const forgotten = this.#runs.shift()!
    this.#packetsBefore = forgotten.packets
    this.#picturesBefore = forgotten.pictures
  }

  has(extended: number): boolean {
    const run = this.#runs.findLast(({ first }) => first <= extended)
    return run !== undefined && extended <= run.last
  }

  packetsBefore(extended: number): number {
    return this.#runBefore(extended)?.packets ?? this.#packetsBefore
  }

  picturesBefore(extended: number): number {
    return this.#runBefore(extended)?.pictures ?? this.#picturesBefore
  }

  /** The packet that has this number, had nothing been skipped before it. */
  locate(closed: number): number {
    for (let at = this.#runs.length - 1; at >= 0; at--) {
      const { last, packets } = this.#runs[at]!
      if (closed + packets > last) return closed + packets
    }
    return closed + this.#packetsBefore
  }

  #runBefore(extended: number): Run | undefined {
    // Nearly always the latest.
    for (let at = this.#runs.length - 1; at >= 0; at--) {
      if (this.#runs[at]!.last < extended) return this.#runs[at]
    }
    return undefined
  }
}
