import { readFileSync } from 'node:fs'
import type { Tokens } from 'marked'
import { sdkArchive } from '../../config/sdk-archive.ts'
import { GUIDES, guideUrl } from './addresses.ts'
import { framed, type PageLink } from './frame.ts'
import { html, type Html } from './html.ts'
import { lexed, markdown, slugs, type Heading } from './markdown.ts'

const DOCS = new URL('../../../../docs/', import.meta.url)

export interface Guide {
  readonly name: string
  readonly url: string
  readonly group: string
  readonly title: string
  readonly text: string
}

/** A part of a page that a search finds. */
export interface Found {
  readonly url: string
  readonly title: string
  /** The title of its page. */
  readonly page: string
  readonly text: string
}

/** In the guides, as they are in the repository. */
const SDK_NAME = 'portico-sdk-<version>.tgz'

export function readGuides(): Guide[] {
  const sdk = sdkArchive()?.name ?? SDK_NAME
  return Object.entries(GUIDES).flatMap(([group, names]) =>
    names.map((name) => {
      const text = readFileSync(new URL(`${name}.md`, DOCS), 'utf8').replaceAll(SDK_NAME, sdk)
      return { name, group, url: guideUrl(name), title: /^# (.+)$/m.exec(text)?.[1] ?? name, text }
    }),
  )
}

export function guidePage(guide: Guide, pages: readonly PageLink[], version: string): string {
  const headings = headingsOf(guide.text).filter(({ depth }) => depth === 2)
  const contents = html`<section>
    <p class="group">${guide.title}</p>
    <ul>
      ${headings.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}
    </ul>
  </section>`
  return framed({
    title: `${guide.title} – Portico`,
    summary: summaryOf(guide.text),
    version,
    url: guide.url,
    pages,
    contents: headings.length > 0 ? contents : html``,
    main: html`<div class="guide">${body(guide.text)}</div>`,
  })
}

/** The sections of a guide, each from its heading to the next one. */
export function sectionsOf({ url, title: page, text }: Guide): Found[] {
  const found: { url: string; title: string; page: string; text: string }[] = []
  const next = slugs()
  for (const token of lexed(text)) {
    if (token.type === 'heading') {
      const { depth, text: title } = token as Tokens.Heading
      const id = next(title)
      found.push({ url: depth === 1 ? url : `${url}#${id}`, title: plain(title), page, text: '' })
    } else {
      const last = found.at(-1)
      if (last) last.text = `${last.text} ${plain(token.raw)}`.trim()
    }
  }
  return found
}

/** Links between files of `docs/` become links between pages. What a portal doesn't serve is named without a link. */
function body(text: string): Html {
  return markdown(text, (href) => {
    if (/^https?:|^#/.test(href)) return href
    const [, name = '', anchor = ''] = /^([\w-]+)\.md(#.*)?$/.exec(href) ?? []
    if (Object.values(GUIDES).flat().includes(name)) return guideUrl(name) + anchor
    return href === 'openapi.json' ? '/api/v1/openapi.json' : undefined
  })
}

function headingsOf(text: string): (Heading & { readonly depth: number })[] {
  const next = slugs()
  return lexed(text)
    .filter((token): token is Tokens.Heading => token.type === 'heading')
    .map(({ text: title, depth }) => ({ id: next(title), title: plain(title), depth }))
}

function summaryOf(text: string): string {
  const paragraph = lexed(text).find(({ type }) => type === 'paragraph')
  return plain(paragraph?.raw ?? '').slice(0, 200)
}

/** Without the marks of Markdown, for searches and titles. */
function plain(text: string): string {
  return text
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*|]|^#+ |-{3,}/gm, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
