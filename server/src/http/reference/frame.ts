import { html, type Html } from './html.ts'
import { logo } from './logo.ts'

/** A page of `/docs`. */
export interface Frame {
  readonly title: string
  readonly summary: string
  readonly version: string
  /** The address of this page. */
  readonly url: string
  /** All pages, for the table of contents. */
  readonly pages: readonly PageLink[]
  /** Sections of the table of contents about this page. */
  readonly contents: Html
  readonly main: Html
}

export interface PageLink {
  readonly url: string
  readonly title: string
  readonly group: string
}

export function framed({ title, summary, version, url, pages, contents, main }: Frame): string {
  const page = html`<html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <meta name="description" content="${summary}" />
      <title>${title}</title>
      <link rel="icon" href="/docs/icon.svg" type="image/svg+xml" />
      <link rel="stylesheet" href="/docs/style.css" />
      <script src="/docs/script.js" type="module"></script>
    </head>
    <body>
      <a class="skip" href="#content">Skip to content</a>
      <header class="top">
        <button class="open-contents" popovertarget="contents" aria-label="Contents">
          <svg width="20" height="20" viewBox="0 0 20 20" aria-hidden="true">
            <path d="M3 5.5h14M3 10h14M3 14.5h14" />
          </svg>
        </button>
        <a class="brand" href="/docs">${logo(28)}<span>Portico Bot API</span></a>
        <span class="version">${version}</span>
        <nav class="links" aria-label="Elsewhere">
          <a href="/api/v1/openapi.json">OpenAPI<span class="wide"> document</span></a>
          <a href="/">Portal</a>
        </nav>
      </header>
      <nav id="contents" class="contents" aria-label="Contents" popover>
        <div class="filter" hidden>
          <label class="unseen" for="filter">Search the documentation</label>
          <input id="filter" type="search" placeholder="Search" autocomplete="off" spellcheck="false" />
          <kbd aria-hidden="true">/</kbd>
        </div>
        <p class="no-match" role="status"></p>
        ${contents}
        <section class="found" hidden>
          <p class="group">On other pages</p>
          <ul></ul>
        </section>
        ${groupsOf(pages).map((group) => pagesOf(group, pages, url))}
      </nav>
      <main id="content" tabindex="-1">${main}</main>
    </body>
  </html> `
  return `<!doctype html>\n${page.markup}`
}

function groupsOf(pages: readonly PageLink[]): string[] {
  return [...new Set(pages.map(({ group }) => group))]
}

function pagesOf(group: string, pages: readonly PageLink[], current: string): Html {
  const links = pages.filter((page) => page.group === group)
  return html`<section>
    <p class="group">${group}</p>
    <ul>
      ${links.map(
        ({ url, title }) =>
          html`<li>
            ${
              url === current
                ? html`<a href="${url}" aria-current="page">${title}</a>`
                : html`<a href="${url}">${title}</a>`
            }
          </li>`,
      )}
    </ul>
  </section>`
}
