const letters = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** One or two letters that stand for a name: the first of its first two words, or of the only one. */
export function initialsOf(name: string): string {
  return wordsOf(name)
    .slice(0, 2)
    .map((word) => firstLettersOf(word, 1))
    .join('')
}

/** A channel of one word keeps two of its letters, so that several in a rail can be told apart. */
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

/** Letters as they are seen: an emoji joined of several signs stays whole. */
function firstLettersOf(word: string, count: number): string {
  const [first = '', ...rest] = Array.from(letters.segment(word), ({ segment }) => segment).slice(0, count)
  return first.toLocaleUpperCase() + rest.join('')
}
