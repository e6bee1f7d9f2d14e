import { html, type Html } from './html.ts'

/** A value as indented JSON with syntax highlighting. */
export function json(value: unknown): Html {
  const pieces = JSON.stringify(value, null, 2).split(
    /("(?:[^"\\]|\\.)*"(?:\s*:)?|\b(?:true|false|null)\b|-?\b\d[\d.]*\b)/,
  )
  return html`${pieces.map((piece, index) => {
    if (index % 2 === 0) return html`${piece}`
    if (piece.endsWith(':')) return html`<span class="key">${piece.slice(0, -1)}</span>:`
    if (piece.startsWith('"')) return html`<span class="string">${piece}</span>`
    return html`<span class="literal">${piece}</span>`
  })}`
}

/** A titled code block. The script adds a copy button, and shows one language of several at a time. */
export function codeBlock(title: Html, content: Html, language?: string): Html {
  return html`<figure class="code" ${language !== undefined && html`data-language="${language}"`}>
    <figcaption>${title}</figcaption>
    <pre><code>${content}</code></pre>
  </figure>`
}
