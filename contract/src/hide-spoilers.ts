// Only positions, so that among three bars both pairs are found.
const OPENING = /(?=\|\|\S)/g
const CLOSING = /(?<=\S)(?=\|\|)/g
/** The bars and at least one character. */
const SHORTEST = 3
const HIDDEN = '▒▒▒'

/** How a text was shortened. */
export interface Cut {
  /** It may end within a spoiler, whose end is missing. */
  readonly atEnd: boolean
}

export interface Range {
  readonly from: number
  readonly to: number
}

export function hideSpoilers(text: string, cut?: Cut): string {
  let shown = ''
  let at = 0
  for (const { from, to } of spoilersIn(text, cut)) {
    shown += text.slice(at, from) + HIDDEN
    at = to
  }
  return shown + text.slice(at)
}

/**
 * Everything that may be a spoiler, in order and without overlaps. Which bars belong together depends on code, escapes and
 * paragraphs around them, so every pair that could be one counts: rather too much is hidden than a part of a spoiler shown.
 */
export function spoilersIn(text: string, { atEnd }: Cut = { atEnd: false }): Range[] {
  const closings = Array.from(text.matchAll(CLOSING), ({ index }) => index)
  const found: Range[] = []
  let next = 0
  for (const { index: from } of text.matchAll(OPENING)) {
    while ((closings[next] ?? Infinity) < from + SHORTEST) next += 1
    const closing = closings[next]
    if (closing === undefined && !atEnd) break
    const to = closing === undefined ? text.length : closing + 2
    const last = found.at(-1)
    if (last && from < last.to) found[found.length - 1] = { from: last.from, to }
    else found.push({ from, to })
  }
  return found
}
