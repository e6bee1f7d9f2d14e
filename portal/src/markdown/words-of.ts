import type { Inline } from './nodes.ts'

/** Parsed text without its formatting. */
export function wordsOf(parts: readonly Inline[]): string {
  return parts
    .map((part) => {
      if (part.kind === 'break') return '\n'
      return 'inside' in part ? wordsOf(part.inside) : part.text
    })
    .join('')
}
