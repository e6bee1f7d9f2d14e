const WORD_BREAK = /[\s._/–—-]+/

/**
 * How well a name matches what was typed, lower is better: a prefix, the prefix of a word, a substring, or the letters
 * in order. Undefined if it doesn't match.
 */
export function matchRank(name: string, typed: string): number | undefined {
  const [whole, wanted] = [folded(name), folded(typed.trim())]
  if (whole.startsWith(wanted)) return whole.length === wanted.length ? 0 : 1
  if (whole.split(WORD_BREAK).some((word) => word.startsWith(wanted))) return 2
  if (whole.includes(wanted)) return 3
  return hasInOrder(whole, wanted) ? 4 : undefined
}

/** The items of which a name matches, best first; equal ones keep their order. */
export function bestMatches<Item>(
  items: readonly Item[],
  typed: string,
  ...namesOf: readonly ((item: Item) => string)[]
): Item[] {
  return items
    .flatMap((item) => {
      const ranks = namesOf.flatMap((nameOf) => matchRank(nameOf(item), typed) ?? [])
      return ranks.length === 0 ? [] : [{ item, rank: Math.min(...ranks) }]
    })
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ item }) => item)
}

function folded(text: string): string {
  return text.toLocaleLowerCase().replaceAll('ё', 'е')
}

function hasInOrder(whole: string, wanted: string): boolean {
  let from = 0
  for (const letter of wanted) {
    const at = whole.indexOf(letter, from)
    if (at < 0) return false
    from = at + letter.length
  }
  return true
}
