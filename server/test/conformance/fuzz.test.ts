import { Agent } from 'node:http'
import { ERRORS, operations, type ErrorBody, type Operation } from '@portico/contract'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import type { Bot } from '../bot.ts'
import { expectShape } from '../expect-shape.ts'
import type { Answer } from '../person.ts'
import { rawRequest, type RawRequest } from '../raw-request.ts'
import { requestOf, botApiFixture, type Values } from '../bot-api-fixture.ts'
import { isBehindNginx } from '../start-server.ts'

/** Batches of requests per route. fast-check prints the seed of a failure. */
const BATCHES = isBehindNginx ? 4 : 20
const BATCH = 8
/** nginx answers a path with a zero byte or a broken escape itself. */
const ANSWERED_BY_NGINX = /^[^?]*%(?:00|(?![0-9a-f]{2}))/i
/** Headers over 16 KiB are rejected before they are parsed, which another test covers. */
const LONGEST_PATH = 4000

const NASTY_TEXT = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\udfff\ud800',
  '\u202e',
  '\ufeff',
  '𝕳𝖊𝖑𝖑𝖔',
  "' OR 1=1 --",
  '{{7*7}}',
  '../../etc/passwd',
  '%00',
  '%',
  '😀',
  '1e999',
  'NaN',
  'null',
  '-0',
  '0x10',
  'true',
  '__proto__',
  'constructor',
  'x'.repeat(5000),
  '€'.repeat(4001),
  '00000000-0000-0000-0000-000000000000',
  'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF',
  '{00000000-0000-7000-8000-000000000000}',
  '0000000000007000800000000000000000',
  '00000000-0000-7000-8000-00000000000g',
]
const NASTY_BODIES = [
  '',
  '{',
  '}',
  '[]',
  'null',
  'true',
  '1',
  '"x"',
  '{"a":1}x',
  '\ufeff{}',
  '{"__proto__":{"channelId":"x"}}',
  "{'a':1}",
  '{"a":1,}',
  '{"constructor":{"prototype":{"x":1}}}',
  '[['.repeat(20_000),
  `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`,
  '{"text":1e999}',
  '{"channelId":{"toString":null}}',
  '{"text":"\\ud800"}',
  '{"text":"\\u0000"}',
  '{"commands":{"length":5}}',
  'x'.repeat(300_000),
]
const CONTENT_TYPES = [
  'application/json',
  'application/json; charset=utf-8',
  'application/json;charset=utf-16',
  'APPLICATION/JSON',
  'text/plain',
  'text/html',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application',
  '/',
  ';',
  '',
  'application/json, text/plain',
  '*/*',
]
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

const text = fc.oneof(fc.constantFrom(...NASTY_TEXT), fc.string({ unit: 'binary', maxLength: 60 }), fc.uuid())
const value = fc.oneof(text, fc.jsonValue({ maxDepth: 3 }), fc.double(), fc.constant(undefined))
/** The characters that HTTP clients can send in a header. */
const header = fc.stringMatching(/^[ -~]{0,80}$/)

describe('fuzz', () => {
  const fixture = botApiFixture()
  const agent = new Agent({ keepAlive: true, maxSockets: BATCH })
  afterAll(() => agent.destroy())

  const ofBots = [...operations].filter(([, { by }]) => by === 'bot' || by === 'member')
  test.each(ofBots)('%s is never answered but in the shape of the contract', async (name, operation) => {
    const { server, prepare, newBot, give } = await fixture
    const bot = await newBot()
    await give(bot, 'CHANNEL_ADMIN')
    const values = await prepare(operation)

    await fc.assert(
      fc.asyncProperty(
        fc.array(requests(operation, values, bot), { minLength: BATCH, maxLength: BATCH }),
        async (batch) => {
          const answers = await Promise.all(batch.map((request) => rawRequest(server.url, agent, request)))
          for (const [index, answer] of answers.entries()) expectOrderly(name, operation, batch[index], answer)
        },
      ),
      { numRuns: BATCHES, interruptAfterTimeLimit: 20_000 },
    )
  })
})

/** A request of the operation, valid or with one or more errors. */
function requests(operation: Operation, values: Values, bot: Bot): fc.Arbitrary<RawRequest> {
  const valid = requestOf(operation, values)
  const fields = Object.keys(operation.input.properties)
  const other = fc.record({ field: fc.constantFrom(...fields, 'unknown'), value })
  const changed = fc.array(other, { maxLength: 3 }).map((changes) => {
    const all = { ...values, ...Object.fromEntries(changes.map((change) => [change.field, change.value])) }
    return requestOf(
      operation,
      all,
      changes.map(({ field }) => field),
    )
  })
  const bodies = fc.oneof(
    { weight: 6, arbitrary: fc.constant(undefined) },
    { weight: 2, arbitrary: fc.constantFrom(...NASTY_BODIES) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }) },
    { weight: 1, arbitrary: fc.json() },
  )
  const rarely = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 6 })
  return fc
    .record({
      request: fc.oneof({ weight: 5, arbitrary: changed }, { weight: 1, arbitrary: fc.constant(valid) }),
      method: fc.option(fc.constantFrom(...METHODS), { nil: undefined, freq: 12 }),
      query: rarely(fc.array(fc.tuple(fc.constantFrom(...fields, 'limit', 'unknown'), text), { maxLength: 4 })),
      suffix: fc.option(fc.constantFrom('/', '//', '/x', '%', '%zz', '%ff', '?', '?&&=', '?channelId[]=1', '#x'), {
        nil: undefined,
        freq: 12,
      }),
      body: bodies,
      contentType: rarely(fc.constantFrom(...CONTENT_TYPES)),
      authorization: fc.option(fc.oneof(header, fc.constantFrom('', 'Bot', `Bearer ${bot.key}`, `bot ${bot.key}`)), {
        nil: undefined,
        freq: 12,
      }),
      idempotencyKey: rarely(header),
    })
    .map(({ request, method, query, suffix = '', body, contentType, authorization, idempotencyKey }) => {
      const more = query ? `${request.path.includes('?') ? '&' : '?'}${encoded(query)}` : ''
      const sent = body ?? (request.body && JSON.stringify(request.body))
      return {
        method: method ?? request.method,
        path: `/api/v1${request.path}${more}`.slice(0, LONGEST_PATH) + suffix,
        headers: {
          authorization: authorization ?? `Bot ${bot.key}`,
          ...(sent !== undefined && {
            'content-type': contentType ?? 'application/json',
            'content-length': Buffer.byteLength(sent),
          }),
          ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        },
        ...(sent !== undefined && { body: sent }),
      }
    })
    .filter(({ path }) => !isBehindNginx || !ANSWERED_BY_NGINX.test(path))
}

function encoded(query: readonly (readonly [string, string])[]): string {
  return query.map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`).join('&')
}

/** The response is a success or one of the documented errors, with all promised headers. */
function expectOrderly(name: string, operation: Operation, request: RawRequest | undefined, answer: Answer): void {
  const note = `${JSON.stringify(request)?.slice(0, 2000)} → ${answer.status} ${JSON.stringify(answer.body)}`
  expect(answer.headers.get('x-ratelimit-limit'), note).toMatch(/^\d+$/)
  expect(answer.headers.get('x-ratelimit-remaining'), note).toMatch(/^\d+$/)
  expect(answer.headers.get('x-request-id'), note).toMatch(/^[0-9a-f-]{36}$/)
  if (answer.status < 300) {
    const [method = ''] = operation.at.split(' ')
    if (request?.method === method && !request.path.includes('#')) expectSuccess(name, operation, answer)
    return
  }
  expect([400, 401, 403, 404, 422], note).toContain(answer.status)
  const { error, status, message, ...extra } = answer.body as ErrorBody
  const known = Object.values(ERRORS).find((one) => one.status === answer.status)
  expect([error, status], note).toEqual([known?.error, 'error'])
  expect(message, note).toMatch(/^\S[^\n]*$/)
  const allowed = new Set(['field', 'reason', 'requiredScope', 'requiredRight'])
  expect(
    Object.keys(extra).filter((field) => !allowed.has(field)),
    note,
  ).toEqual([])
}

function expectSuccess(name: string, { output }: Operation, answer: Answer): void {
  expectShape(name, output.orCreated && answer.status === 201 ? { ...answer, status: 200 } : answer)
}
