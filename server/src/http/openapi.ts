import { ERRORS, type ErrorCode, type Operation } from '@portico/contract'

interface Schema {
  title?: string
  properties?: Record<string, Schema>
  items?: Schema
  required?: string[]
  [keyword: string]: unknown
}

interface Described {
  readonly title: string
  readonly description: string
  readonly server: string
  readonly version: string
  readonly security: Record<string, unknown>
  readonly operations: Iterable<readonly [name: string, operation: Operation]>
  readonly errorsOf: (operation: Operation) => readonly ErrorCode[]
  /** Headers that every answer carries. */
  readonly headers: Record<string, string>
}

/** An OpenAPI 3.1 document made of the very schemas that validate. */
export function openapiOf(described: Described): Record<string, unknown> {
  const components: Record<string, unknown> = {}
  const headers = Object.fromEntries(
    Object.entries(described.headers).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
  )
  const paths: Record<string, Record<string, unknown>> = {}

  for (const [name, operation] of described.operations) {
    const [method = '', path = ''] = operation.at.split(' ')
    const url = path.replaceAll(/:(\w+)/g, '{$1}')
    paths[url] ??= {}
    paths[url][method.toLowerCase()] = {
      operationId: name,
      summary: operation.summary,
      ...describe(operation),
      ...inputOf(operation, method, path, components),
      ...(operation.by === 'anyone' && { security: [] }),
      responses: responsesOf(operation, described.errorsOf(operation), headers, components),
    }
  }

  return {
    openapi: '3.1.0',
    info: { title: described.title, description: described.description, version: described.version },
    servers: [{ url: described.server }],
    security: Object.keys(described.security).map((scheme) => ({ [scheme]: [] })),
    paths,
    components: {
      securitySchemes: described.security,
      schemas: { ...sorted(components), Error: ERROR },
    },
  }
}

const ERROR = {
  type: 'object',
  required: ['error', 'status', 'message'],
  properties: {
    error: { type: 'string', description: 'The status name', examples: ['Forbidden'] },
    status: { type: 'string', const: 'error' },
    message: { type: 'string', description: 'One sentence for a person' },
    field: { type: 'string', description: 'On 400: the field that was refused' },
    reason: { type: 'string', description: 'A stable word for programs, where there is more than one reason' },
    requiredScope: { type: 'string', description: 'On 403: the scope that the key lacks' },
    requiredRight: { type: 'string', description: 'On 403: the right that the role lacks' },
    retryAfterSec: { type: 'integer', description: 'On 429: how long to wait, as in the header Retry-After' },
  },
}

function describe(operation: Operation): Record<string, unknown> {
  const notes = [operation.description]
  if (operation.scope) notes.push(`Needs the scope \`${operation.scope}\`.`)
  if (operation.access?.right) notes.push(`Needs the right \`${operation.access.right}\`.`)
  if (operation.quota === 'write') notes.push('Consumes the write quota.')
  const description = notes.filter(Boolean).join(' ')
  return description ? { description } : {}
}

function inputOf(operation: Operation, method: string, path: string, components: Record<string, unknown>) {
  const { properties = {}, required = [] } = schemaOf(operation.input)
  const inPath = new Set([...path.matchAll(/:(\w+)/g)].map(([, name]) => name))
  const rest = Object.entries(properties).filter(([name]) => !inPath.has(name))
  const parameter =
    (where: string) =>
    ([name, schema]: [string, Schema]) => {
      const { description, ...plain } = publicSchema(schema, components)
      return {
        name,
        in: where,
        required: where === 'path' || required.includes(name),
        ...(description !== undefined && { description }),
        schema: plain,
      }
    }
  const parameters = [
    ...Object.entries(properties)
      .filter(([name]) => inPath.has(name))
      .map(parameter('path')),
    ...(method === 'GET' ? rest.map(parameter('query')) : []),
    ...(operation.idempotent ? [IDEMPOTENCY_KEY] : []),
  ]
  const bodyRequired = rest.filter(([name]) => required.includes(name)).map(([name]) => name)
  const body = method !== 'GET' && rest.length > 0
  return {
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: bodyRequired.length > 0 && method !== 'DELETE',
        content: {
          'application/json': {
            schema: {
              type: 'object',
              ...(bodyRequired.length > 0 && { required: bodyRequired }),
              properties: Object.fromEntries(rest.map(([name, schema]) => [name, publicSchema(schema, components)])),
            },
          },
        },
      },
    }),
  }
}

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'Within 24 hours the same key returns the first answer again and carries nothing out',
  schema: { type: 'string', minLength: 1, maxLength: 64, pattern: '^[!-~]+$' },
}

function responsesOf(
  operation: Operation,
  errors: readonly ErrorCode[],
  headers: Record<string, unknown>,
  components: Record<string, unknown>,
) {
  const { status, schema } = operation.output
  const answer = publicSchema(schemaOf(schema), components)
  const success = {
    description: status === 204 ? 'Done' : 'Success',
    headers,
    ...(status !== 204 && { content: { 'application/json': { schema: answer } } }),
  }
  const refusals = errors.map((code) => {
    const { status, error, message } = ERRORS[code]
    const retry = { 'Retry-After': { description: 'Seconds to wait', schema: { type: 'integer' } } }
    return [
      String(status),
      {
        description: `${error}: ${message}`,
        headers: code === 'tooManyRequests' ? { ...headers, ...retry } : headers,
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    ] as const
  })
  return { [String(status)]: success, ...Object.fromEntries(refusals) }
}

/** A schema of the contract, read as the JSON Schema that it is. */
function schemaOf(schema: object): Schema {
  return { ...schema }
}

/** A named schema becomes a reference; keywords of our own stay inside. */
function publicSchema(schema: Schema, components: Record<string, unknown>): Schema {
  const { title, rule: _rule, properties, items, ...rest } = schema
  if (rest['format'] === 'text') delete rest['format']
  const open: Schema = {
    ...rest,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [name, publicSchema(property, components)]),
      ),
    }),
    ...(items && { items: publicSchema(items, components) }),
  }
  if (title === undefined) return open
  const nullable = Array.isArray(rest['type'])
  components[title] ??= nullable ? { ...open, type: (rest['type'] as string[])[0] } : open
  const reference = { $ref: `#/components/schemas/${title}` }
  return nullable ? { anyOf: [reference, { type: 'null' }] } : reference
}

function sorted(record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => a.localeCompare(b)))
}
