/** What formats text wherever it is, and `@`, which begins mentions and is part of addresses. */
const ANYWHERE = /[\\`*~|[\]<@]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|:(?=\/\/)|(?<=\bwww)\./giu
/** What begins a heading, a quote, a list or a line across. */
const AT_START = /^([^\S\n]*)(#|>|[-+=]|\d+(?=[.)]))/gm

/**
 * Escapes a text so that a message shows it as it is: names, titles and other text that people have written can't format anything, link
 * anywhere or mention anyone.
 */
export function escapeMarkdown(text: string): string {
  const escaped = text.replaceAll(ANYWHERE, '\\$&')
  return escaped.replaceAll(AT_START, (_, blanks: string, sign: string) =>
    /\d/.test(sign) ? `${blanks}${sign}\\` : `${blanks}\\${sign}`,
  )
}
