/** A word that nobody else types, so that it can be found wherever it went. */
const WORD = /zq[a-z]\d+z/g

interface Typed {
  readonly word: string
  readonly kind: 'draft' | 'edit'
  /** The room in which it was typed. */
  readonly roomId: string | undefined
}

/** All unique words of a text. */
export function wordsIn(text: string): string[] {
  return text.match(WORD) ?? []
}

/** The text that a person has typed and that is neither sent nor given up yet. */
export class TypedTexts {
  readonly #letter: string
  readonly #pending = new Map<string, Typed>()
  #count = 0

  constructor(letter: string) {
    this.#letter = letter
  }

  get pending(): readonly Typed[] {
    return [...this.#pending.values()]
  }

  /** A new word. It counts from now on. */
  next(kind: Typed['kind'], roomId: string | undefined): string {
    const word = this.unique()
    this.#pending.set(word, { word, kind, roomId })
    return word
  }

  /** A new word that needn’t stay, such as one in a search. */
  unique(): string {
    this.#count += 1
    return `zq${this.#letter}${this.#count}z`
  }

  /** The server has it, or its author has given it up. */
  settle(words: Iterable<string>): void {
    for (const word of words) this.#pending.delete(word)
  }

  settleAll(kind?: Typed['kind']): void {
    this.settle(this.pending.filter((one) => kind === undefined || one.kind === kind).map(({ word }) => word))
  }

  /** What is in none of these texts. */
  missingFrom(texts: readonly string[]): readonly Typed[] {
    const found = new Set(texts.flatMap(wordsIn))
    return this.pending.filter(({ word }) => !found.has(word))
  }
}
