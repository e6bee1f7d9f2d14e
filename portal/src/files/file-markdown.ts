/** What an entry of a message says about its file. */
interface Written {
  readonly name: string
  readonly url: string
  readonly picture: boolean
  /** What the picture shows. Empty: the name is written instead. */
  readonly alt: string
}

/** The Markdown by which a message contains a file. */
export function fileMarkdown({ name, url, picture, alt }: Written): string {
  const label = labelOf(alt) || labelOf(name)
  return `${picture ? '!' : ''}[${label}](${url.replaceAll('(', '%28').replaceAll(')', '%29')})`
}

/** The text followed by its files: one per line, in a paragraph of their own. */
export function withFiles(text: string, files: readonly string[]): string {
  if (files.length === 0) return text
  return [text.trimEnd(), files.join('\n')].filter((part) => part !== '').join('\n\n')
}

/** Without what would end the label, escape something or break the line. */
function labelOf(text: string): string {
  return text
    .replaceAll('[', '(')
    .replaceAll(']', ')')
    .replaceAll(/[\\`<>\s]+/g, ' ')
    .trim()
}
