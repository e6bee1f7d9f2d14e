/** The subset of an OpenAPI document that a test needs to call all its routes. */
export interface ApiDocument {
  paths: Record<string, Record<string, ApiOperation>>
  components: object
}

export interface ApiOperation {
  operationId: string
  security?: unknown[]
  responses: Record<string, unknown>
  parameters?: { name: string; in: string; required?: boolean; schema: Schema }[]
  requestBody?: {
    content: { 'application/json'?: { schema: Schema }; 'image/*'?: object; 'application/octet-stream'?: object }
  }
}

export interface Schema {
  type?: string | string[]
  format?: string
  examples?: unknown[]
  enum?: string[]
  pattern?: string
  minimum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
}

export interface Call {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly open: boolean
  /** The status for someone who isn't signed in: a refusal, or nothing where a page asks before it knows. */
  readonly signedOut: 401 | 204
  readonly inPath: Record<string, Schema>
  readonly inQuery: Record<string, Schema>
  /** The required query parameters. */
  readonly required: readonly string[]
  readonly body: Schema | undefined
  /** Whether the body is a picture. */
  readonly picture: boolean
  /** Whether the body is a file of any type. */
  readonly file: boolean
}

export function callsOf(document: ApiDocument): Call[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const placed = (where: string) =>
        Object.fromEntries(
          (operation.parameters ?? []).filter((one) => one.in === where).map(({ name, schema }) => [name, schema]),
        )
      return {
        name: operation.operationId,
        method: method.toUpperCase(),
        path,
        open: operation.security?.length === 0,
        signedOut: '200' in operation.responses && '204' in operation.responses ? 204 : 401,
        inPath: placed('path'),
        inQuery: placed('query'),
        required: (operation.parameters ?? [])
          .filter((one) => one.in === 'query' && one.required)
          .map(({ name }) => name),
        body: operation.requestBody?.content['application/json']?.schema,
        picture: operation.requestBody?.content['image/*'] !== undefined,
        file: operation.requestBody?.content['application/octet-stream'] !== undefined,
      }
    }),
  )
}

/** A valid value: a known one for the field's name, an example from the document, or an arbitrary one. */
export function sample(schema: Schema, name: string, known: Record<string, string>): unknown {
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  if (schema.enum) return schema.enum[0]
  // Invitations and reset links both have a `code`, of different forms.
  if (known[name] !== undefined && new RegExp(schema.pattern ?? '').test(known[name])) return known[name]
  if (schema.examples) return schema.examples[0]
  if (schema.format === 'uuid') return '0199d2f4-5b1e-7c44-a1d3-3a6f0c2e9b57'
  if (type === 'boolean') return true
  if (type === 'integer') return schema.minimum ?? 1
  if (type === 'array') return schema.minItems ? [sample(schema.items ?? {}, name.replace(/s$/, ''), known)] : []
  if (type === 'object') {
    const required = Object.entries(schema.properties ?? {}).filter(([field]) => schema.required?.includes(field))
    return Object.fromEntries(required.map(([field, inner]) => [field, sample(inner, field, known)]))
  }
  return 'a sample text'.padEnd(schema.minLength ?? 0, '.').slice(0, schema.maxLength)
}
