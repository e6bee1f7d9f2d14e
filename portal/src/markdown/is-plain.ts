const SIGNS = /[*_~`#>[\]<!|\\@]|:\/\/|www\.|^\s*[-+]|^\s*\d+[.)]/m

/** Whether a text can't contain Markdown, so that it needs no parsing. */
export function isPlain(text: string): boolean {
  return !SIGNS.test(text)
}
