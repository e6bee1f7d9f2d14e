import type { Inline } from './nodes.ts'

/** Parsed text without its formatting. */
export function wordsOf(parts: readonly Inline[]): string {
  return parts
    .map((part) => {
      if (part.kind === 'break') return '\n'
      if (part.kind === 'checkbox') return part.checked ? '☑ ' : '☐ '
      if (part.kind === 'file') return part.file.name
      return 'inside' in part ? wordsOf(part.inside) : part.text
    })
    .join('')
}
