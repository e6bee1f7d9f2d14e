import type { EventKind, Operation } from '@portico/contract'
import { Answers, COMMON_HEADERS, ERROR, type ErrorExample } from './openapi/answers.ts'
import type { HeaderObject, OpenApi, OperationObject, Security, SecurityScheme, Tag } from './openapi/document.ts'
import { inputsOf } from './openapi/inputs.ts'
import { needsText } from './openapi/needs-text.ts'
import { Schemas, type Audience } from './openapi/schemas.ts'
import { callbacksOf } from './openapi/webhooks.ts'

export interface Described {
  readonly audience: Audience
  readonly title: string
  readonly summary: string
  /** Markdown. */
  readonly description: string
  readonly server: string
  readonly version: string
  /** The security schemes; the first one is the default of every operation. */
  readonly security: Readonly<Record<string, SecurityScheme>>
  readonly securityOf?: (operation: Operation) => Security | undefined
  readonly operations: Iterable<readonly [name: string, operation: Operation]>
  /** In the order of the document. */
  readonly tags: readonly Tag[]
  readonly tagOf: (name: string, operation: Operation) => string
  readonly errorsOf: (operation: Operation) => readonly ErrorExample[]
  /** The headers of every response. */
  readonly headers: Readonly<Record<string, HeaderObject>>
  /** The events that are sent to the address of `setWebhook`. */
  readonly events?: readonly EventKind[]
}

/** Only the operator can look up a request id in the logs. */
const CONTACT = { name: 'The operator of this portal' }
const LICENSE = { name: 'Apache License 2.0', identifier: 'Apache-2.0' }

/** An OpenAPI 3.1 document, generated from the schemas that validate requests. */
export function openapiOf(described: Described): OpenApi {
  const schemas = new Schemas(described.audience)
  const answers = new Answers(schemas, Object.keys(described.headers))
  const paths: Record<string, Record<string, OperationObject>> = {}
  for (const [name, operation] of described.operations) {
    const [method = '', path = ''] = operation.at.split(' ')
    const url = path.replaceAll(/:(\w+)/g, '{$1}')
    paths[url] ??= {}
    paths[url][method.toLowerCase()] = operationObject(described, name, operation, schemas, answers)
  }

  const { title, summary, description, version } = described
  return {
    openapi: '3.1.0',
    info: { title, summary, description, version, contact: CONTACT, license: LICENSE },
    servers: [{ url: described.server }],
    tags: described.tags,
    security: Object.keys(described.security)
      .slice(0, 1)
      .map((scheme) => ({ [scheme]: [] })),
    paths,
    components: {
      securitySchemes: described.security,
      headers: { ...described.headers, ...COMMON_HEADERS },
      responses: answers.shared(),
      schemas: { ...schemas.named(), Error: ERROR },
    },
  }
}

function operationObject(
  described: Described,
  name: string,
  operation: Operation,
  schemas: Schemas,
  answers: Answers,
): OperationObject {
  const { access, quota } = operation
  const scope = operation.scope ?? operation.userScope
  const right = access?.right ?? operation.judges
  const caller = described.audience === 'portal' ? callerText(operation) : undefined
  const description = [operation.description, caller, needs(operation)].filter(Boolean).join(' ')
  const security = operation.by === 'anyone' ? [] : described.securityOf?.(operation)
  return {
    operationId: name,
    summary: operation.summary,
    ...(description && { description }),
    tags: [described.tagOf(name, operation)],
    ...(security && { security }),
    ...inputsOf(operation, schemas),
    responses: answers.of(operation, described.errorsOf(operation)),
    ...(described.events && callbacksOf(name, described.events, schemas)),
    ...(scope && { 'x-scope': scope }),
    ...(right && { 'x-right': right }),
    ...(access?.room && { 'x-room': access.room }),
    ...(quota && { 'x-quota': quota }),
  }
}

function needs({ scope, userScope, access, judges, quota }: Operation): string {
  return needsText({ scope: scope ?? userScope, right: access?.right ?? judges, quota })
}

/** Who may call an operation of the portal API. */
function callerText({ by, at, access }: Operation): string {
  if (by === 'anyone') return 'Open to everyone: no session is needed.'
  if (by === 'administrator') return 'For administrators of the portal.'
  if (access) return 'For members of the channel.'
  if (PUBLIC_CARDS.has(at)) return 'For anyone who is signed in.'
  if (at.includes('/applications/:applicationId')) return 'For the owner of the application.'
  return 'For anyone who is signed in.'
}

/** What people see of another person's application before they install it. */
const PUBLIC_CARDS: ReadonlySet<string> = new Set([
  'GET /applications/:applicationId/card',
  'GET /applications/:applicationId/places',
])
