import { MARK } from '../actors/texts.ts'

const EVERY_MARK = new RegExp(MARK, 'g')

/** The marks of all texts in something, each once. */
export function marksIn(content: string): readonly string[] {
  const found = content.match(EVERY_MARK)
  return found ? [...new Set(found)] : NONE
}

/** The mark of a text; empty if it has none. */
export function markOf(text: string): string {
  return MARK.exec(text)?.[0] ?? ''
}

const NONE: readonly string[] = []
