import type { OpenApi } from '../openapi/document.ts'
import { REFERENCE_URL } from './addresses.ts'
import type { Route } from './curl.ts'
import { html, type Html } from './html.ts'
import { framed, type PageLink } from './frame.ts'
import type { Found } from './guides.ts'
import { headingsOf, inline, markdown } from './markdown.ts'
import { methodBadge, operationSection } from './operation.ts'

interface Subject {
  readonly name: string
  readonly description: string
  readonly routes: readonly Route[]
}

/** The API reference as one page, generated from the OpenAPI document. */
export function referencePage(document: OpenApi, pages: readonly PageLink[]): string {
  const subjects = subjectsOf(document)
  const headings = headingsOf(document.info.description)
  const { title, summary, version } = document.info
  return framed({
    title,
    summary,
    version,
    url: REFERENCE_URL,
    pages,
    contents: html`<section>
        <p class="group">Basics</p>
        <ul>
          <li><a href="#content">Introduction</a></li>
          ${headings.map(({ id, title: heading }) => html`<li><a href="#${id}">${heading}</a></li>`)}
        </ul>
      </section>
      ${subjects.map(contentsOf)}`,
    main: main(document, subjects),
  })
}

/** The operations, for searches. */
export function operationsFound(document: OpenApi): Found[] {
  return subjectsOf(document).flatMap(({ routes }) =>
    routes.map(({ method, path, operation: { operationId, summary, description = '' } }) => ({
      url: `${REFERENCE_URL}#${operationId}`,
      title: summary,
      page: 'API reference',
      text: `${operationId} ${method} ${path} ${description}`,
    })),
  )
}

function main(document: OpenApi, subjects: readonly Subject[]): Html {
  const { title, summary, description } = document.info
  return html`<div class="guide">
      <h1>${title}</h1>
      <p class="lead">${summary}</p>
      <dl class="base">
        <dt>Base address</dt>
        <dd><code>${document.servers[0]?.url ?? ''}</code></dd>
      </dl>
      ${markdown(description)}
    </div>
    ${subjects.map(
      ({ name, description: about, routes }) =>
        html`<section class="subject" aria-labelledby="${anchor(name)}">
          <div class="guide">
            <h2 id="${anchor(name)}">${name}</h2>
            <p>${inline(about)}</p>
          </div>
          ${routes.map((route) => operationSection(document, route))}
        </section>`,
    )}`
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
