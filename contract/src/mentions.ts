/**
 * How a text names somebody: `<@` and their id and `>`. The id stays when they are renamed; whoever shows the text
 * writes the name that they have then.
 */
const MENTION = /<@([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})>/gi

export function mentionOf(accountId: string): string {
  return `<@${accountId}>`
}

/** Whom a text names, each once, in the order of the text. */
export function mentionedIds(text: string): string[] {
  // Hardly any text names somebody, and every one that is sent or shown comes by here.
  if (!text.includes('<@')) return []
  return [...new Set(Array.from(text.matchAll(MENTION), ([, id = '']) => id.toLowerCase()))]
}

/** The text with names in the place of ids. Whoever is not known stays as written. */
export function withNames(text: string, nameOf: (accountId: string) => string | undefined): string {
  return text.replaceAll(MENTION, (written, id: string) => {
    const name = nameOf(id.toLowerCase())
    return name === undefined ? written : `@${name}`
  })
}
