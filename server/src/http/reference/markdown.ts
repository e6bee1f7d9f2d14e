import { json } from './code.ts'
import { html, type Html } from './html.ts'

export interface Heading {
  readonly id: string
  readonly title: string
}

/** The second-level headings of a text, for a list of contents. */
export function headingsOf(text: string): Heading[] {
  return [...text.matchAll(/^## (.+)$/gm)].map(([, title = '']) => ({ id: slug(title), title }))
}

/** The Markdown that our own descriptions are written in: headings, lists, tables, fences, and what `inline` knows. */
export function markdown(text: string): Html {
  return html`${blocksOf(text).map(block)}`
}

/** Code, bold, links within the page and nothing else. */
export function inline(text: string): Html {
  const pieces = text.split(/(`[^`]+`|\*\*[^*]+\*\*|\[[^\]]+\]\(#[\w-]+\))/)
  return html`${pieces.map((piece) => {
    if (piece.startsWith('`')) return html`<code>${piece.slice(1, -1)}</code>`
    if (piece.startsWith('**')) return html`<strong>${piece.slice(2, -2)}</strong>`
    const link = /^\[(.+)\]\((#.+)\)$/.exec(piece)
    return link ? html`<a href="${link[2] ?? ''}">${link[1] ?? ''}</a>` : html`${piece}`
  })}`
}

/** Blocks are separated by blank lines, except inside a fence. */
function blocksOf(text: string): string[] {
  return text
    .split(/(^```[\s\S]+?^```$)/m)
    .flatMap((part) => (part.startsWith('```') ? [part] : part.split(/\n{2,}/)))
    .map((part) => part.trim())
    .filter(Boolean)
}

function block(text: string): Html {
  const fence = /^```(\w*)\n([\s\S]*?)\n?```$/.exec(text)
  if (fence) return fenced(fence[1] ?? '', fence[2] ?? '')
  if (text.startsWith('## ')) {
    const title = text.slice(3)
    return html`<h2 id="${slug(title)}">${title}</h2>`
  }
  if (text.startsWith('|')) return table(text)
  if (text.startsWith('- '))
    return html`<ul>
      ${items(text, /^- /m)}
    </ul>`
  if (text.startsWith('1. '))
    return html`<ol>
      ${items(text, /^\d+\. /m)}
    </ol>`
  return html`<p>${inline(text.replaceAll('\n', ' '))}</p>`
}

function fenced(language: string, text: string): Html {
  return html`<pre><code>${language === 'json' ? json(JSON.parse(text)) : text}</code></pre>`
}

function items(text: string, mark: RegExp): Html[] {
  return text
    .split(mark)
    .filter(Boolean)
    .map((item) => html`<li>${inline(item.trim().replaceAll(/\n\s*/g, ' '))}</li>`)
}

function table(text: string): Html {
  const [head = [], , ...rows] = text.split('\n').map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Table">
    <table>
      <thead>
        <tr>
          ${head.map((cell) => html`<th scope="col">${inline(cell)}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              ${row.map((cell) => html`<td>${inline(cell)}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`
}

function slug(title: string): string {
  return title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
}
