import type { Operation } from '@portico/contract'
import type { ParameterObject, RequestBody, SchemaObject } from './document.ts'
import { exampleFields } from './example-of.ts'
import type { Schemas } from './schemas.ts'

const IDEMPOTENCY_KEY: ParameterObject = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'Any 1–64 visible ASCII characters: within 24 hours the same key is answered with the first answer',
  schema: { type: 'string', minLength: 1, maxLength: 64, pattern: '^[!-~]+$' },
  example: 'build-1.4.0-green',
}

const IDEMPOTENCY_COMPARE: ParameterObject = {
  name: 'Idempotency-Compare',
  in: 'header',
  required: false,
  description:
    'With `key`, a different request with the same `Idempotency-Key` gets the first response too. With `request`, the default, it gets 422',
  schema: { type: 'string', enum: ['request', 'key'] },
  example: 'key',
}

const PICTURE: RequestBody = { required: true, content: { 'image/*': { schema: {} } } }
/** Any type is accepted. Generators know this one, and none of them knows a range of types. */
const FILE: RequestBody = {
  required: true,
  content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
}

interface Inputs {
  readonly parameters?: ParameterObject[]
  readonly requestBody?: RequestBody
}

/** Splits an operation's flat input into path parameters, query parameters and the body. */
export function inputsOf(operation: Operation, schemas: Schemas): Inputs {
  const [method = '', path = ''] = operation.at.split(' ')
  const required = new Set(operation.input.required)
  const inPath = new Set([...path.matchAll(/:(\w+)/g)].map(([, name]) => name))
  const fields = schemas.fieldsOf(operation.input)
  const rest = fields.filter(([name]) => !inPath.has(name))

  const isInQuery = method === 'GET' || method === 'DELETE' || operation.takes !== undefined
  const isEither = method === 'DELETE' && operation.takes === undefined
  const parameter = (where: 'path' | 'query', [name, field]: readonly [string, SchemaObject]): ParameterObject => {
    const { description, examples = [], ...schema } = schemas.publish(field)
    // The fields of a DELETE can be in the query or in the body, so neither of them is required by itself.
    const isRequired = where === 'path' || (required.has(name) && !isEither)
    return {
      name,
      in: where,
      required: isRequired,
      ...(description !== undefined && {
        description: where === 'path' || !isEither ? description : either(description),
      }),
      // As `kinds=message.created,member.joined`.
      ...(where === 'query' && field.type === 'array' && { style: 'form', explode: false }),
      schema,
      ...(examples.length > 0 && { example: examples[0] }),
    }
  }
  const parameters = [
    ...fields.filter(([name]) => inPath.has(name)).map((field) => parameter('path', field)),
    ...(isInQuery ? rest.map((field) => parameter('query', field)) : []),
    ...(operation.idempotent ? [IDEMPOTENCY_KEY, IDEMPOTENCY_COMPARE] : []),
  ]
  return {
    ...(parameters.length > 0 && { parameters }),
    ...(operation.takes && { requestBody: operation.takes === 'picture' ? PICTURE : FILE }),
    ...(method !== 'GET' &&
      !operation.takes &&
      rest.length > 0 && { requestBody: bodyOf(method, rest, required, schemas) }),
  }
}

function either(description: string): string {
  return `${description}. In the query or in the body`
}

function bodyOf(
  method: string,
  fields: readonly (readonly [string, SchemaObject])[],
  required: ReadonlySet<string>,
  schemas: Schemas,
): RequestBody {
  const requiredNames = fields.map(([name]) => name).filter((name) => required.has(name))
  const schema = {
    type: 'object',
    ...(requiredNames.length > 0 && { required: requiredNames }),
    properties: Object.fromEntries(fields.map(([name, field]) => [name, schemas.publish(field)])),
  }
  const example = exampleFields(fields.filter(([name, field]) => required.has(name) || isShown(field)))
  return {
    required: requiredNames.length > 0 && method !== 'DELETE',
    content: { 'application/json': { schema, ...(example && { example }) } },
  }
}

/** An example shows optional fields, except for ids. */
function isShown({ examples = [], format }: SchemaObject): boolean {
  return examples.length > 0 && format !== 'uuid'
}
