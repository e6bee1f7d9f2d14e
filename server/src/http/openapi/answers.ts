import { ERRORS, type ErrorCode, type ErrorDetails, type Operation } from '@portico/contract'
import { Refusal } from '../../operations/refusal.ts'
import type {
  ExampleObject,
  HeaderObject,
  OperationObject,
  Reference,
  ResponseObject,
  SchemaObject,
} from './document.ts'
import { exampleFields, exampleOf } from './example-of.ts'
import type { Schemas } from './schemas.ts'

/** One way in which an operation can be refused. */
export interface ErrorExample {
  readonly name: string
  readonly code: ErrorCode
  /** When this error occurs. */
  readonly when: string
  readonly details: ErrorDetails
}

const RETRY_AFTER: HeaderObject = {
  description: 'Whole seconds to wait, as in `retryAfterSec`: a request after that succeeds if nothing else was sent',
  schema: { type: 'integer', minimum: 1 },
}

export const COMMON_HEADERS: Readonly<Record<string, HeaderObject>> = { 'Retry-After': RETRY_AFTER }

export const ERROR: SchemaObject = {
  type: 'object',
  description: 'Every answer that is not a success',
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

/** Errors that are described in the same way for every operation. */
const COMMON_ERRORS: ReadonlySet<ErrorCode> = new Set(['unauthorized', 'tooManyRequests', 'internalError', 'timeout'])

/** Names for shared responses with an additional example, which only some operations have. */
const SHARED_NAMES = [
  ['writeQuota', 'tooManyRequestsOrWrites'],
  ['missingToken', 'unauthorizedToken'],
] as const

const SUCCESS = { 200: 'Done', 201: 'Made', 204: 'Done; the answer has no body' } as const

/** Describes the responses of operations, and collects those that many operations share. */
export class Answers {
  readonly #schemas: Schemas
  readonly #headers: readonly string[]
  readonly #shared: Record<string, ResponseObject> = {}

  /** The `headers` are those of every response. */
  constructor(schemas: Schemas, headers: readonly string[]) {
    this.#schemas = schemas
    this.#headers = headers
  }

  /** The success response of an operation, and every error status with an example for each cause. */
  of(operation: Operation, errors: readonly ErrorExample[]): OperationObject['responses'] {
    const { status, schema, orCreated, orSignedOut } = operation.output
    const success = (as: keyof typeof SUCCESS, example: unknown): ResponseObject => ({
      description: SUCCESS[as],
      headers: references(this.#headers),
      ...(as !== 204 && {
        content: {
          'application/json': { schema: this.#schemas.publish(schema), ...(example !== undefined && { example }) },
        },
      }),
    })
    const codes = [...new Set(errors.map(({ code }) => code))]
    const refusals = codes.map((code) => {
      const ways = errors.filter((error) => error.code === code)
      return [String(ERRORS[code].status), this.#refused(code, ways)] as const
    })
    return {
      [String(status)]: success(status, exampleOf({ ...schema })),
      // Fields that are returned only once are part of the response to a creation.
      ...(orCreated && { 201: success(201, exampleFields(this.#schemas.fieldsOf(schema))) }),
      ...(orSignedOut && { 204: { description: 'Nobody is signed in', headers: references(this.#headers) } }),
      ...Object.fromEntries(refusals),
    }
  }

  shared(): Record<string, ResponseObject> {
    return this.#shared
  }

  #refused(code: ErrorCode, ways: readonly ErrorExample[]): ResponseObject | Reference {
    const response = refused(code, ways, this.#headers)
    const general = ways.every(({ name }) => name === code)
    if (!COMMON_ERRORS.has(code) && !general) return response
    const name = SHARED_NAMES.find(([way]) => ways.some((one) => one.name === way))?.[1] ?? code
    this.#shared[name] ??= response
    return { $ref: `#/components/responses/${name}` }
  }
}

function refused(code: ErrorCode, ways: readonly ErrorExample[], headers: readonly string[]): ResponseObject {
  const examples = ways.map(({ name, when, details }): [string, ExampleObject] => [
    name,
    { summary: when, value: new Refusal(code, details).body() },
  ])
  return {
    description: ERRORS[code].error,
    headers: references(code === 'tooManyRequests' ? [...headers, 'Retry-After'] : headers),
    content: {
      'application/json': { schema: { $ref: '#/components/schemas/Error' }, examples: Object.fromEntries(examples) },
    },
  }
}

function references(names: readonly string[]): ResponseObject['headers'] {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}
