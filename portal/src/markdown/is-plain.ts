const SIGNS = /[*_~`#>[\]<!|\\@]|:\/\/|www\.|^\s*[-+]|^\s*\d+[.)]/m
/** Longer texts may be folded. */
const MAX_LENGTH = 900
const MAX_LINES = 20

/** Whether a text is short and can't contain Markdown, so that it needs no parsing. */
export function isPlain(text: string): boolean {
  return text.length <= MAX_LENGTH && !SIGNS.test(text) && text.split('\n').length <= MAX_LINES
}
