/** A fragment of a page. Only `html` and `markdown` create one, so that no text gets into a page unescaped. */
export interface Html {
  readonly markup: string
}

type Part = string | number | Html | readonly Html[] | false | undefined

/** A template tag: escapes text, inserts fragments as they are, and skips false and undefined. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return { markup: String.raw({ raw: strings }, ...parts.map(written)) }
}

function written(part: Part): string {
  if (part === false || part === undefined) return ''
  if (typeof part === 'string' || typeof part === 'number') return escape(String(part))
  return 'markup' in part ? part.markup : part.map(({ markup }) => markup).join('')
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
