import type { Random } from '../random/random.ts'

const ID = /[0-9a-f]{8}-[0-9a-f-]{27}/g

/** How often each thing that the portal offers was seen and used. */
export class Usage {
  readonly #seen = new Map<string, number>()
  readonly #used = new Map<string, number>()
  readonly #names: () => Iterable<string>

  /** `names` are those of people, rooms and channels, which make no difference. */
  constructor(names: () => Iterable<string> = () => []) {
    this.#names = names
  }

  /** A name without what differs from one day to the next. */
  plain(name: string): string {
    let plain = name.replaceAll(ID, '‹id›')
    for (const variable of this.#names()) if (variable.length > 2) plain = plain.replaceAll(variable, '‹name›')
    // The initials of a picture, and what a list says after a name, such as whether it has been read.
    const short = plain.replace(/^\S{1,2} ‹name›.*$/, '‹name› …').replace(/^(‹name›).*$/, '$1 …')
    return short
      .replaceAll(/zq[a-z]\d+z/g, '‹word›')
      .replaceAll(/\d+/g, '#')
      .slice(0, 60)
  }

  see(name: string): void {
    this.#seen.set(name, (this.#seen.get(name) ?? 0) + 1)
  }

  use(name: string): void {
    this.see(name)
    this.#used.set(name, (this.#used.get(name) ?? 0) + 1)
  }

  /** A choice in which what was rarely used is likelier. */
  pick<Item>(random: Random, items: readonly Item[], nameOf: (item: Item) => string): Item | undefined {
    const weights = items.map((item) => 1 / (1 + (this.#used.get(nameOf(item)) ?? 0)) ** 1.5)
    let left = random.next() * weights.reduce((sum, weight) => sum + weight, 0)
    return items.find((_, index) => (left -= weights[index] ?? 0) < 0) ?? items.at(-1)
  }

  get used(): ReadonlyMap<string, number> {
    return this.#used
  }

  /** What was offered and never used. */
  unused(): string[] {
    return [...this.#seen.keys()].filter((name) => !this.#used.has(name)).sort()
  }
}
