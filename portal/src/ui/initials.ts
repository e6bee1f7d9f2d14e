const letters = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** One or two letters that stand for a name: the first of its first two words, or of the only one. */
export function initialsOf(name: string): string {
  const words = name.split(/[^\p{L}\p{N}\p{Extended_Pictographic}]+/u).filter(Boolean)
  return (words.length > 0 ? words : [name])
    .slice(0, 2)
    .map((word) => firstLetter(word).toLocaleUpperCase())
    .join('')
}

/** A channel of one word keeps two of its letters, so that several in a rail can be told apart. */
export function tileLettersOf(name: string): string {
  const initials = initialsOf(name)
  const [first = '', second = ''] = Array.from(letters.segment(name), ({ segment }) => segment)
  return /[\s\p{P}]/u.test(second) || initials.length > 1 ? initials : first.toLocaleUpperCase() + second
}

function firstLetter(word: string): string {
  for (const { segment } of letters.segment(word)) return segment
  return ''
}

/** The same id has the same colour everywhere. */
export function hueOf(id: string): number {
  let hash = 0x811c9dc5
  for (const character of id) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193)
  return (hash >>> 0) % 360
}
