import { Marked, Renderer, type RendererObject, type Token, type Tokens } from 'marked'
import { json } from './code.ts'
import { groupSamples, samplesExtension } from './group-samples.ts'
import { html, type Html } from './html.ts'

export interface Heading {
  readonly id: string
  readonly title: string
}

/** The address that a link leads to; undefined: its text is shown without a link. */
type Resolve = (href: string) => string | undefined

const renderer: RendererObject = {
  code({ lang, text }) {
    return html`<pre><code>${lang === 'json' ? highlighted(text) : text}</code></pre>`.markup
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
const tokenizer = { url: () => undefined, autolink: () => undefined }

const marked = new Marked({ renderer, tokenizer })

/** The second-level headings of a text, for the table of contents. */
export function headingsOf(text: string): Heading[] {
  const next = slugs()
  return lexed(text)
    .filter((token): token is Tokens.Heading => token.type === 'heading')
    .map(({ text: title, depth }) => ({ id: next(title), title, depth }))
    .filter(({ depth }) => depth === 2)
    .map(({ id, title }) => ({ id, title }))
}

export function lexed(text: string): Token[] {
  return marked.lexer(text)
}

/** A whole text. Its headings get the same anchors as on GitHub. */
export function markdown(text: string, resolve: Resolve = (href) => href): Html {
  const next = slugs()
  const own = new Marked({ renderer, tokenizer }).use({
    hooks: { processAllTokens: groupSamples },
    extensions: [samplesExtension],
    renderer: {
      heading({ depth, text: title, tokens }) {
        return `<h${depth} id="${next(title)}">${this.parser.parseInline(tokens)}</h${depth}>`
      },
      link({ href, tokens }) {
        const target = resolve(href)
        const label = { markup: this.parser.parseInline(tokens) }
        return (target === undefined ? label : html`<a href="${target}">${label}</a>`).markup
      },
    },
  })
  return { markup: own.parse(text, { async: false }) }
}

/** Markdown within a paragraph or a table cell. */
export function inline(text: string): Html {
  return { markup: marked.parseInline(text, { async: false }) }
}

/** The anchors of a page's headings, one after the other: a title that occurs again gets a number. */
export function slugs(): (title: string) => string {
  const seen = new Map<string, number>()
  return (title) => {
    const slug = title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
      .replaceAll(' ', '-')
    const times = seen.get(slug) ?? 0
    seen.set(slug, times + 1)
    return times === 0 ? slug : `${slug}-${times}`
  }
}

/** Examples with dots in place of values are no JSON. */
function highlighted(text: string): Html {
  try {
    return json(JSON.parse(text))
  } catch {
    return html`${text}`
  }
}
