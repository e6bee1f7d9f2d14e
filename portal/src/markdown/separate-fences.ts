const BLOCK = /(?<!`)```(?!`)([\s\S]*?)(?<!`)```(?!`)/g
const LANGUAGE = /^[\w+#.-]*[^\S\n]*\n/
/** Matches the start of a line in a quote or a list. */
const WITHIN = /^\s*(?:>|[-*+]\s|\d+[.)]\s)[\s>]*$/

/**
 * Puts code fences on lines of their own. People write three backticks after a word, and code right after three
 * backticks; Markdown would take its first line for the language and not show it.
 */
export function separateFences(text: string): string {
  return text.replaceAll(BLOCK, (written, inside: string, at: number) => {
    const before = text.slice(text.lastIndexOf('\n', at) + 1, at)
    if (!inside.includes('\n') || WITHIN.test(before)) return written
    const language = LANGUAGE.exec(inside)?.[0]
    const begins = before.trim() === ''
    const ends = inside.endsWith('\n') && /^[^\S\n]*(?:\n|$)/.test(text.slice(at + written.length))
    if (begins && ends && language !== undefined) return written
    const code = inside.slice(language?.length ?? 0).replace(/\n$/, '')
    return `${begins ? '' : '\n'}\`\`\`${language ?? '\n'}${code}\n\`\`\`\n`
  })
}
