import type { CodePart } from './highlight.ts'

let highlight = $state.raw<(code: string, language: string) => readonly CodePart[]>()

/** Colors for code, loaded with the first piece of code whose language is named. Until then it is shown without. */
export const lazyHighlight = {
  partsOf(code: string, language: string): readonly CodePart[] {
    return highlight && language !== '' ? highlight(code, language) : [{ text: code }]
  },
  async prepare(): Promise<void> {
    if (highlight) return
    try {
      const loaded = await import('./highlight.ts')
      highlight = loaded.highlight
    } catch {
      // The server is down; retried with the next piece of code.
    }
  },
}
