const SIGNS = /[*_~`#>[\]<!|\\@]|:\/\/|www\.|^\s*[-+]|^\s*\d+[.)]/m

/** Whether a text has nothing in it that could be Markdown, so that it can be shown without reading it as such. */
export function isPlain(text: string): boolean {
  return !SIGNS.test(text)
}
