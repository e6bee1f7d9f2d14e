export interface Range {
  readonly from: number
  readonly to: number
}

/** Where these words stand in a text, from left to right and apart from each other. Parts of longer words do not count. */
export function rangesOf(text: string, words: readonly string[]): Range[] {
  if (words.length === 0) return []
  // The longest first: of a word with a hyphen and its parts, the whole is marked.
  const alternatives = words.toSorted((a, b) => b.length - a.length).map(escaped)
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(?:${alternatives.join('|')})(?![\\p{L}\\p{N}])`, 'gu')
  return Array.from(text.matchAll(pattern), ({ 0: word, index }) => ({ from: index, to: index + word.length }))
}

function escaped(word: string): string {
  return word.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
}
