import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv'
import { HTTP_URL_PATTERN, isReadableName, normalizeName, type Operation } from '@portico/contract'
import type { FastifyRequest } from 'fastify'
import { checkOption, checkOptions } from '../commands/check-options.ts'
import { checkCard, checkCards } from '../messages/check-cards.ts'
import { checkComponent, checkComponents } from '../messages/check-components.ts'
import { isEmoji } from '../messages/emoji.ts'
import { Refusal, wrongField } from '../operations/refusal.ts'

type Fields = Record<string, unknown>

/** Validates a request and returns its input: path, query and body as the one flat object that operations take. */
export type InputValidator = (request: FastifyRequest) => Fields

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

const options: Options = {
  removeAdditional: 'all',
  useDefaults: true,
  verbose: true,
  strictTypes: false,
  keywords: ['rule', { keyword: 'check', type: ['array', 'object'], validate: runCheck, errors: true }],
  formats: {
    uuid: UUID,
    text: isStorable,
    name: isReadableName,
    // Checked in full together with the host: the refusal says which of the two is wrong.
    'https-url': isStorable,
    'http-url': isLink,
    emoji: isEmoji,
    'date-time': true,
  },
}

function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

const CHECKS = {
  card: checkCard,
  cards: checkCards,
  component: checkComponent,
  components: checkComponents,
  option: checkOption,
  options: checkOptions,
} as const

/** Runs after the keywords of JSON Schema, so that the data has the form that the check expects. */
function runCheck(name: keyof typeof CHECKS, data: unknown): boolean {
  const message = CHECKS[name](data as never)
  runCheck.errors = message === undefined ? [] : [{ keyword: 'check', message }]
  return message === undefined
}
runCheck.errors = [] as { keyword: string; message: string }[]

const LINK = new RegExp(HTTP_URL_PATTERN)

function isLink(text: string): boolean {
  return isStorable(text) && LINK.test(text) && URL.canParse(text)
}

const ajv = new Ajv(options)
const compiled = new WeakMap<Operation, InputValidator>()

/** Compiled on first use: compiling all of them would make the start half a second longer. */
export function inputValidator(operation: Operation): InputValidator {
  return (request) => {
    let validate = compiled.get(operation)
    if (!validate) compiled.set(operation, (validate = compileValidator(operation)))
    return validate(request)
  }
}

function compileValidator(operation: Operation): InputValidator {
  const [method = '', path = ''] = operation.at.split(' ')
  const inPath = new Set([...path.matchAll(/:(\w+)/g)].map(([, name]) => name))
  const fields = Object.entries(operation.input.properties)
  const required = new Set(operation.input.required)
  const some = (keep: (name: string) => boolean) => ({
    type: 'object',
    properties: Object.fromEntries(fields.filter(([name]) => keep(name))),
    required: [...required].filter(keep),
  })

  const checkPath = ajv.compile<Fields>(some((name) => inPath.has(name)))
  const rest = some((name) => !inPath.has(name))

  if (method === 'GET' && fields.length === 0) return () => ({})
  if (method === 'GET') {
    const checkQuery = ajv.compile<Fields>(rest)
    const numbers = fields.flatMap(([name, schema]) => ('type' in schema && schema.type === 'integer' ? [name] : []))
    const lists = fields.flatMap(([name, schema]) => ('type' in schema && schema.type === 'array' ? [name] : []))
    return (request) => {
      const query = withLists(withNumbers(single(request.query, rest.properties), numbers), lists)
      return { ...checked(checkQuery, query), ...checked(checkPath, copy(request.params)) }
    }
  }
  if (operation.takes) {
    const checkQuery = ajv.compile<Fields>(rest)
    return (request) => ({
      ...checked(checkQuery, single(request.query, rest.properties)),
      ...checked(checkPath, copy(request.params)),
    })
  }
  const checkBody = ajv.compile<Fields>(rest)
  const names = fields.flatMap(([name, schema]) => ('format' in schema && schema.format === 'name' ? [name] : []))
  const takesQuery = method === 'DELETE'
  return (request) => {
    const path = checked(checkPath, copy(request.params))
    const body = takesQuery ? withQuery(bodyOf(request), single(request.query, rest.properties)) : bodyOf(request)
    return { ...checked(checkBody, withNormalized(body, names)), ...path }
  }
}

function bodyOf(request: FastifyRequest): Fields {
  const body = request.body
  if (body === undefined) return {}
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw wrongField('body', 'must be a JSON object')
  return copy(body)
}

/** Many HTTP clients drop the body of a DELETE, so its fields are accepted in the query; if given twice they must match. */
function withQuery(body: Fields, query: Fields): Fields {
  for (const [name, value] of Object.entries(query)) {
    if (Object.hasOwn(body, name) && !isSame(body[name], value)) {
      throw wrongField(name, 'must not differ between body and query')
    }
  }
  return { ...body, ...query }
}

/** Ids are compared without regard to case. */
function isSame(one: unknown, other: unknown): boolean {
  const isId = typeof one === 'string' && typeof other === 'string' && UUID.test(one)
  return one === other || (isId && one.toLowerCase() === other.toLowerCase())
}

function checked(check: ValidateFunction<Fields>, fields: Fields): Fields {
  if (check(fields)) return fields
  throw refusalOf(check.errors?.[0])
}

/** The known query parameters. A repeated one is parsed as a list, which no operation accepts. */
function single(query: unknown, known: Fields): Fields {
  const fields = Object.entries(copy(query)).filter(([name]) => Object.hasOwn(known, name))
  for (const [name, value] of fields) {
    if (Array.isArray(value)) throw wrongField(name, 'must not be repeated')
  }
  return Object.fromEntries(fields)
}

/** Normalizes names before validation, because length limits apply to the stored form. */
function withNormalized(body: Fields, names: readonly string[]): Fields {
  for (const name of names) {
    const given = body[name]
    if (typeof given === 'string' && given.isWellFormed()) body[name] = normalizeName(given)
  }
  return body
}

/** Parses numbers in a query. Only plain integers: `1e999` and `0x10` stay strings, which validation refuses. */
function withNumbers(query: Fields, names: readonly string[]): Fields {
  for (const name of names) {
    const given = query[name]
    if (typeof given === 'string' && /^-?\d{1,15}$/.test(given)) query[name] = Number(given)
  }
  return query
}

/** Splits lists in a query at their commas. */
function withLists(query: Fields, names: readonly string[]): Fields {
  for (const name of names) {
    const given = query[name]
    if (typeof given === 'string') query[name] = given.split(',')
  }
  return query
}

function copy(value: unknown): Fields {
  return { ...(typeof value === 'object' ? value : {}) }
}

function refusalOf(error: ErrorObject | undefined): Refusal {
  if (!error) return new Refusal('badRequest')
  const at = error.instancePath.slice(1).replaceAll('/', '.')
  if (error.keyword === 'required') {
    const missing = String(error.params['missingProperty'])
    return wrongField(at ? `${at}.${missing}` : missing, 'is required')
  }
  if (error.keyword === 'format' && error.schema === 'name') {
    return wrongField(at, 'must not contain invisible, control or unassigned characters', 'name_characters')
  }
  if (error.keyword === 'check') return wrongField(at, error.message ?? 'is not valid')
  return wrongField(at || 'body', textError(error) ?? ruleOf(error) ?? error.message ?? 'is not valid')
}

/** Errors of text that a message about its length would hide. */
function textError({ keyword, schema, data }: ErrorObject): string | undefined {
  if (keyword === 'format' && (schema === 'text' || schema === 'https-url'))
    return 'must be well-formed Unicode without U+0000'
  if (keyword === 'pattern' && typeof data === 'string' && data.trim() === '') return 'must not be blank'
  return undefined
}

function ruleOf({ parentSchema }: ErrorObject): string | undefined {
  const rule: unknown = parentSchema && 'rule' in parentSchema ? parentSchema['rule'] : undefined
  return typeof rule === 'string' ? rule : undefined
}
