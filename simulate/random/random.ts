import { createHash } from 'node:crypto'

/**
 * Random choices that are determined by a seed. Every actor has a generator of its own, so that one more choice of one actor
 * leaves the plans of all others as they were.
 */
export class Random {
  readonly #seed: string
  #state: Uint32Array

  constructor(seed: string) {
    this.#seed = seed
    const digest = createHash('sha256').update(seed).digest()
    this.#state = Uint32Array.from({ length: 4 }, (_, word) => digest.readUInt32LE(word * 4))
  }

  /** The generator of one part, the same for the same name. */
  of(name: string): Random {
    return new Random(`${this.#seed}/${name}`)
  }

  /** From 0, below 1 (sfc32). */
  next(): number {
    let [a = 0, b = 0, c = 0, counter = 0] = this.#state
    const sum = (a + b + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + sum
    this.#state = Uint32Array.of(a, b, c, counter)
    return (sum >>> 0) / 2 ** 32
  }

  /** From 0, below the limit. */
  integer(limit: number): number {
    return Math.floor(this.next() * limit)
  }

  between(from: number, to: number): number {
    return from + this.next() * (to - from)
  }

  chance(share: number): boolean {
    return this.next() < share
  }

  /** Undefined if there is nothing to choose from. */
  pick<T>(items: readonly T[]): T | undefined {
    return items[this.integer(items.length)]
  }

  /** A choice by weight. */
  weighted<T extends string>(weights: Readonly<Record<T, number>>): T {
    const entries = Object.entries(weights) as [T, number][]
    let left = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0)
    for (const [name, weight] of entries) {
      left -= weight
      if (left < 0) return name
    }
    const [last] = entries.at(-1) ?? []
    if (last === undefined) throw new Error('nothing to choose from')
    return last
  }

  /** A subset in which each item is with this probability. */
  some<T>(items: readonly T[], share: number): T[] {
    return items.filter(() => this.chance(share))
  }
}
