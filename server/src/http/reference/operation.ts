import { LIMITS, STREAM_LIMITS, SUGGESTION_LIMITS } from '@portico/contract'
import type { OpenApi, ResponseObject } from '../openapi/document.ts'
import { needsText } from '../openapi/needs-text.ts'
import { codeBlock, json } from './code.ts'
import { takesFile, type Route } from './curl.ts'
import { fieldsOf, fieldTable, type Field } from './fields.ts'
import { html, type Html } from './html.ts'
import { inline } from './markdown.ts'
import { samplesOf } from './samples.ts'
import { tryIt } from './try-it.ts'

export function operationSection(document: OpenApi, route: Route): Html {
  const { operation } = route
  const { operationId: id, summary } = operation
  const base = document.servers[0]?.url ?? ''
  const answers = Object.entries(operation.responses).map(([status, answer]) => ({
    status,
    answer: '$ref' in answer ? shared(document, answer.$ref) : answer,
  }))
  const successes = answers.filter(({ status }) => status < '300')
  const errors = answers.filter(({ status }) => status >= '300')
  return html`<section class="operation" id="${id}" aria-labelledby="${id}-title">
    <div class="about">
      <h3 id="${id}-title"><a href="#${id}">${summary}</a></h3>
      <p class="route">${methodBadge(route.method)} <code>${pathOf(route.path)}</code></p>
      ${needs(route)} ${description(route)} ${inputs(document, route)}
      ${successes.map(({ status, answer }) => success(document, status, answer))}
      <h4>Errors</h4>
      ${errors.map(({ status, answer }) => error(status, answer))}
    </div>
    <div class="examples">
      <div class="samples">
        ${samplesOf(base, route).map(({ language, code }) => codeBlock(html`${language}`, html`${code}`, language))}
      </div>
      ${takesFile(route.operation) ? html`` : tryIt(route)}
      ${successes.map(({ status, answer }) => exampleOf(status, answer))}
    </div>
  </section>`
}

export function methodBadge(method: string): Html {
  return html`<span class="method ${method.toLowerCase()}">${method}</span>`
}

function pathOf(path: string): Html {
  return html`${path.split(/(\{\w+\})/).map((part) => (part.startsWith('{') ? html`<b>${part}</b>` : html`${part}`))}`
}

const QUOTAS = {
  request: { what: 'Request quota', limit: LIMITS.requestQuota, within: LIMITS.quotaWindow },
  write: { what: 'Write quota', limit: LIMITS.writeQuota, within: LIMITS.quotaWindow },
  append: { what: 'Appends to a message', limit: STREAM_LIMITS.appends, within: 1 },
  suggest: { what: 'Answers with suggestions', limit: SUGGESTION_LIMITS.requests, within: 1 },
} as const

function needs({ operation }: Route): Html {
  const { 'x-scope': scope, 'x-right': right, 'x-room': room, 'x-quota': quota } = operation
  const { what, limit, within } = QUOTAS[quota ?? 'request']
  const notes = [
    scope ? html`Scope <code>${scope}</code>` : html`Any key`,
    ...(right ? [html`Right <code>${right}</code>`] : []),
    ...(room ? [html`${capital(room.join(' or '))} room`] : []),
    html`${what}: ${limit} in ${within} s`,
  ]
  return html`<ul class="needs" aria-label="Needs">
    ${notes.map((note) => html`<li>${note}</li>`)}
  </ul>`
}

/** Drops the requirements, which are shown as notes above. */
function description({ operation }: Route): Html {
  const { 'x-scope': scope, 'x-right': right, 'x-quota': quota } = operation
  const text = operation.description ?? ''
  const rest = text.slice(0, text.length - needsText({ scope, right, quota }).length).trim()
  return rest ? html`<p>${inline(rest)}</p>` : html``
}

function inputs(document: OpenApi, { method, operation }: Route): Html {
  const parameters = operation.parameters ?? []
  // A DELETE accepts its fields in the body and in the query; the page shows them once.
  const shown = parameters.filter((parameter) => parameter.in !== 'query' || method === 'GET' || takesFile(operation))
  const places = [
    ['path', 'Path'],
    ['query', 'Query'],
    ['header', 'Headers'],
  ] as const
  const tables = places.map(([place, caption]) => {
    const fields = shown.filter((parameter) => parameter.in === place)
    return fields.length > 0 ? fieldTable(caption, fields) : html``
  })
  const body = operation.requestBody?.content['application/json']?.schema
  const caption = method === 'DELETE' ? 'Body or query' : 'Body'
  const file = takesFile(operation) && html`<p>The body is the file.</p>`
  return html`${tables}${body && fieldTable(caption, fieldsOf(document, body))}${file}`
}

function success(document: OpenApi, status: string, { description, content }: ResponseObject): Html {
  const schema = content?.['application/json'].schema
  const fields: readonly Field[] = schema ? fieldsOf(document, schema) : []
  if (fields.length === 0) return html`<p class="nothing">${statusBadge(status)} ${description}</p>`
  return fieldTable(`Answer ${status}`, fields)
}

function error(status: string, { description, content }: ResponseObject): Html {
  const ways = Object.values(content?.['application/json'].examples ?? {})
  return html`<details class="error">
    <summary>${statusBadge(status)} ${description}</summary>
    <dl>
      ${ways.map(
        ({ summary, value }) =>
          html`<dt>${inline(summary)}</dt>
            <dd>
              <pre><code>${json(value)}</code></pre>
            </dd>`,
      )}
    </dl>
  </details>`
}

function exampleOf(status: string, { content }: ResponseObject): Html {
  const example = content?.['application/json'].example
  return example === undefined ? html`` : codeBlock(html`Answer ${statusBadge(status)}`, json(example))
}

function statusBadge(status: string): Html {
  return html`<span class="status s${status[0]}">${status}</span>`
}

function shared({ components }: OpenApi, reference: string): ResponseObject {
  const answer = components.responses[reference.replace('#/components/responses/', '')]
  if (!answer) throw new Error(`the document has no ${reference}`)
  return answer
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
