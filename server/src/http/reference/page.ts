import type { OpenApi } from '../openapi/document.ts'
import type { Route } from './curl.ts'
import { html, type Html } from './html.ts'
import { headingsOf, inline, markdown, type Heading } from './markdown.ts'
import { logo } from './logo.ts'
import { methodBadge, operationSection } from './operation.ts'

interface Subject {
  readonly name: string
  readonly description: string
  readonly routes: readonly Route[]
}

/** The API reference as one page, generated from the OpenAPI document. */
export function referencePage(document: OpenApi): string {
  const subjects = subjectsOf(document)
  const headings = headingsOf(document.info.description)
  const base = document.servers[0]?.url ?? ''
  return `<!doctype html>\n${page(document, subjects, headings, base).markup}`
}

function page(document: OpenApi, subjects: readonly Subject[], headings: readonly Heading[], base: string): Html {
  const { title, summary, description, version } = document.info
  return html`<html lang="en">
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
        <a class="brand" href="/docs">${logo(28)}<span>${title}</span></a>
        <span class="version">${version}</span>
        <nav class="links" aria-label="Elsewhere">
          <a href="/api/v1/openapi.json">OpenAPI<span class="wide"> document</span></a>
          <a href="/">Portal</a>
        </nav>
      </header>
      <nav id="contents" class="contents" aria-label="Contents" popover>
        <div class="filter" hidden>
          <label class="unseen" for="filter">Filter the contents</label>
          <input id="filter" type="search" placeholder="Filter" autocomplete="off" spellcheck="false" />
          <kbd aria-hidden="true">/</kbd>
        </div>
        <p class="no-match" role="status"></p>
        <section>
          <p class="group">Basics</p>
          <ul>
            <li><a href="#content">Introduction</a></li>
            ${headings.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}
          </ul>
        </section>
        ${subjects.map(contentsOf)}
      </nav>
      <main id="content" tabindex="-1">
        <div class="guide">
          <h1>${title}</h1>
          <p class="lead">${summary}</p>
          <dl class="base">
            <dt>Base address</dt>
            <dd><code>${base}</code></dd>
          </dl>
          ${markdown(description)}
        </div>
        ${subjects.map(
          ({ name, description, routes }) =>
            html`<section class="subject" aria-labelledby="${anchor(name)}">
              <div class="guide">
                <h2 id="${anchor(name)}">${name}</h2>
                <p>${inline(description)}</p>
              </div>
              ${routes.map((route) => operationSection(document, route))}
            </section>`,
        )}
      </main>
    </body>
  </html> `
}

function contentsOf({ name, routes }: Subject): Html {
  return html`<section>
    <p class="group"><a href="#${anchor(name)}">${name}</a></p>
    <ul>
      ${routes.map(
        ({ method, path, operation }) =>
          html`<li>
            <a href="#${operation.operationId}" title="${method} ${path}"
              >${methodBadge(method)}<span>${shortened(operation.summary)}</span></a
            >
          </li>`,
      )}
    </ul>
  </section>`
}

function subjectsOf({ tags, paths }: OpenApi): Subject[] {
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Route => ({ method: method.toUpperCase(), path, operation })),
  )
  return tags.map(({ name, description }) => ({
    name,
    description,
    routes: routes.filter(({ operation }) => operation.tags.includes(name)),
  }))
}

/** In the table of contents the first part of a summary is enough. */
function shortened(summary: string): string {
  return summary.replace(/(?:[;:]|, with ).*$/, '')
}

/** Prefixed, because operation names are anchors too. */
function anchor(subject: string): string {
  return `about-${subject.toLowerCase()}`
}
