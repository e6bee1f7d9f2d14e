import { withNames } from '@portico/contract/mentions'
import { stripMarkdown } from '@portico/contract/strip-markdown'

export interface Highlight {
  readonly part: string
  readonly found: boolean
}

interface Range {
  readonly from: number
  readonly to: number
}

/** How much of a long message is shown before the first match. */
const LEAD = 60

/** Splits a text into matches and the rest, with names in place of mentions. */
export function splitHighlights(
  text: string,
  found: readonly Range[],
  nameOf: (accountId: string) => string | undefined,
): Highlight[] {
  const start = startOf(text, found[0]?.from ?? 0)
  const parts: Highlight[] = start > 0 ? [{ part: '…', found: false }] : []
  let at = start
  for (const { from, to } of found) {
    if (from < at) continue
    parts.push({ part: text.slice(at, from), found: false }, { part: text.slice(from, to), found: true })
    at = to
  }
  parts.push({ part: text.slice(at), found: false })
  return parts
    .map(({ part, found: isFound }) => ({ part: stripMarkdown(withNames(part, nameOf)), found: isFound }))
    .filter(({ part }) => part !== '')
}

/** At the start of a word, never inside a surrogate pair or a mention. */
function startOf(text: string, first: number): number {
  if (first <= LEAD * 2) return 0
  const space = text.lastIndexOf(' ', first - LEAD)
  return space < 0 ? first : space + 1
}
