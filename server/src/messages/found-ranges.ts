export interface Range {
  readonly from: number
  readonly to: number
}

/** The ranges of these words in a text, from left to right, without overlaps. Only whole words count. */
export function rangesOf(text: string, words: readonly string[]): Range[] {
  if (words.length === 0) return []
  // Longest first: a hyphenated word is marked as a whole.
  const alternatives = words.toSorted((a, b) => b.length - a.length).map(escaped)
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(?:${alternatives.join('|')})(?![\\p{L}\\p{N}])`, 'gu')
  return Array.from(text.matchAll(pattern), ({ 0: word, index }) => ({ from: index, to: index + word.length }))
}

function escaped(word: string): string {
  return word.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
}
