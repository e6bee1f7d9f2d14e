const letters = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** One or two letters for a name: the first letters of its first two words, or of its only word. */
export function initialsOf(name: string): string {
  return wordsOf(name)
    .slice(0, 2)
    .map((word) => firstLettersOf(word, 1))
    .join('')
}

/** A channel with a one-word name gets two letters, so that channels in the rail can be distinguished. */
export function tileLettersOf(name: string): string {
  const [word = '', ...others] = wordsOf(name)
  return others.length > 0 ? initialsOf(name) : firstLettersOf(word, 2)
}

function wordsOf(name: string): string[] {
  const words = name
    .split(/[\s._/–—-]+/)
    .map((word) => word.replace(/^\p{P}+(?=[\p{L}\p{N}])/u, ''))
    .filter((word) => !/^\p{P}*$/u.test(word))
  return words.length > 0 ? words : [name]
}

/** By grapheme, so that an emoji made of several code points stays whole. */
function firstLettersOf(word: string, count: number): string {
  const [first = '', ...rest] = Array.from(letters.segment(word), ({ segment }) => segment).slice(0, count)
  return first.toLocaleUpperCase() + rest.join('')
}
