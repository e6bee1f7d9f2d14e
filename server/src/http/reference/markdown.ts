import { Marked, Renderer, type RendererObject, type Tokens } from 'marked'
import { json } from './code.ts'
import { html, type Html } from './html.ts'

export interface Heading {
  readonly id: string
  readonly title: string
}

const renderer: RendererObject = {
  heading({ depth, text, tokens }) {
    return `<h${depth} id="${slug(text)}">${this.parser.parseInline(tokens)}</h${depth}>`
  },
  code({ lang, text }) {
    return html`<pre><code>${lang === 'json' ? json(JSON.parse(text)) : text}</code></pre>`.markup
  },
  /** Focusable, so that it can be scrolled with the keyboard. */
  table(token) {
    const table = Renderer.prototype.table.call(this, token)
    return `<div class="scroll" tabindex="0" role="group" aria-label="Table">${table}</div>`
  },
  tablecell({ header, tokens }) {
    const content = this.parser.parseInline(tokens)
    return header ? `<th scope="col">${content}</th>` : `<td>${content}</td>`
  },
  /** A description contains no markup: angle brackets are text. */
  html({ text }) {
    return html`${text}`.markup
  },
}

/** Addresses in a description are examples, not links. */
const marked = new Marked({ renderer, tokenizer: { url: () => undefined, autolink: () => undefined } })

/** The second-level headings of a text, for the table of contents. */
export function headingsOf(text: string): Heading[] {
  return marked
    .lexer(text)
    .filter((token): token is Tokens.Heading => token.type === 'heading' && token.depth === 2)
    .map(({ text: title }) => ({ id: slug(title), title }))
}

export function markdown(text: string): Html {
  return { markup: marked.parse(text, { async: false }) }
}

/** Markdown within a paragraph or a table cell. */
export function inline(text: string): Html {
  return { markup: marked.parseInline(text, { async: false }) }
}

function slug(title: string): string {
  return title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
}
