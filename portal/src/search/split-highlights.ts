import { spoilersIn, type Range } from '@portico/contract/hide-spoilers'
import { withNames } from '@portico/contract/mentions'
import { stripMarkdown } from '@portico/contract/strip-markdown'

export interface Highlight {
  readonly part: string
  readonly found: boolean
}

/** How much of a long message is shown before the first match. */
const LEAD = 60

/** Splits a text into matches and the rest, with names in place of mentions. A match within a spoiler stays hidden. */
export function splitHighlights(
  text: string,
  found: readonly Range[],
  nameOf: (accountId: string) => string | undefined,
): Highlight[] {
  const spoilers = spoilersIn(text)
  const matches = outsideSpoilers(found, spoilers)
  const start = startOf(text, matches[0]?.from ?? 0, spoilers)
  const parts: Highlight[] = start > 0 ? [{ part: '…', found: false }] : []
  let at = start
  for (const { from, to } of matches) {
    if (from < at) continue
    parts.push({ part: text.slice(at, from), found: false }, { part: text.slice(from, to), found: true })
    at = to
  }
  parts.push({ part: text.slice(at), found: false })
  return parts
    .map(({ part, found: isFound }) => ({ part: stripMarkdown(withNames(part, nameOf)), found: isFound }))
    .filter(({ part }) => part !== '')
}

/** What was found within a spoiler is shown by the whole spoiler: a part of it would reveal itself. */
function outsideSpoilers(found: readonly Range[], spoilers: readonly Range[]): Range[] {
  return found.map((match) => spoilers.find(({ from, to }) => match.from < to && from < match.to) ?? match)
}

/** At the start of a word, never inside a surrogate pair, a mention or a spoiler. */
function startOf(text: string, first: number, spoilers: readonly Range[]): number {
  if (first <= LEAD * 2) return 0
  const space = text.lastIndexOf(' ', first - LEAD)
  const start = space < 0 ? first : space + 1
  return spoilers.find(({ from, to }) => from < start && start < to)?.from ?? start
}
