/**
 * How a text mentions a member: `<@`, their id and `>`. The id survives renames; clients show the current name.
 */
const MENTION = /<@([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})>/gi

export function mentionOf(accountId: string): string {
  return `<@${accountId}>`
}

/** The ids that a text mentions, each once, in the order of the text. */
export function mentionedIds(text: string): string[] {
  // A fast path: few texts have mentions, and every text that is sent or shown comes through here.
  if (!text.includes('<@')) return []
  return [...new Set(Array.from(text.matchAll(MENTION), ([, id = '']) => id.toLowerCase()))]
}

/** The text with names instead of ids. Unknown ids stay as written. */
export function withNames(text: string, nameOf: (accountId: string) => string | undefined): string {
  return text.replaceAll(MENTION, (written, id: string) => {
    const name = nameOf(id.toLowerCase())
    return name === undefined ? written : `@${name}`
  })
}
