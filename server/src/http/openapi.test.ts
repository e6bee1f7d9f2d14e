import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import emojiData from '../../../portal/src/emoji/emoji.json' with { type: 'json' }
import { programVersion } from '../config/program-version.ts'
import { Stream } from '../../test/stream.ts'
import { expectOk, channelFixture } from '../../test/channel-fixture.ts'
import { BOT_EVENT_KINDS } from '../events/bot-event-kinds.ts'
import { botDocument, portalDocument } from './documents.ts'
import type { MediaType, OpenApi, OperationObject, ResponseObject } from './openapi/document.ts'
import { TO_WEBHOOK } from './openapi/webhooks.ts'

const everyEmoji = (emojiData as [emoji: string][]).map(([emoji]) => emoji)
const bots = botDocument('https://chat.example', programVersion())
const portal = portalDocument('https://chat.example', programVersion())

const both: [string, OpenApi][] = [
  ['bot API', bots],
  ['portal API', portal],
]

describe.each(both)('the document of the %s', (_name, document) => {
  test('is valid OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document))
    expect(errors ?? []).toEqual([])
    expect(valid).toBe(true)
  })

  test('names each operation once, with a summary and one tag', () => {
    const operations = operationsOf(document)
    const subjects = document.tags.map(({ name }) => name)
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length)
    for (const { operationId, summary, description, tags } of operations) {
      expect(summary, operationId).toMatch(/^\p{Lu}.{4,}[^.]$/u)
      expect(description, operationId).toBeTruthy()
      expect(subjects, operationId).toEqual(expect.arrayContaining([...tags]))
    }
    expect(new Set(operations.flatMap(({ tags }) => tags))).toEqual(new Set(subjects))
  })

  test('names a contact and the license', () => {
    expect(document.info).toMatchObject({
      contact: { name: expect.any(String) },
      license: { identifier: 'Apache-2.0' },
    })
  })

  test('gives webhook URLs and emoji patterns that accept everything that the server accepts', () => {
    const bodies = operationsOf(document).map(({ requestBody }) => requestBody?.content['application/json']?.schema)
    const patterns = (name: string) => new Set(bodies.flatMap((body) => body?.properties?.[name]?.['pattern'] ?? []))
    const [emoji, url] = [[...patterns('emoji')].map(String), [...patterns('url')].map(String)]
    expect([emoji.length, url.length]).toEqual([1, 1])
    for (const flags of ['', 'u']) {
      const [isEmoji, isUrl] = [new RegExp(emoji[0] ?? '', flags), new RegExp(url[0] ?? '', flags)]
      for (const one of everyEmoji) expect(isEmoji.test(one), one).toBe(true)
      for (const other of ['', 'x', ' ', 'a👍', '👍!', 'ж', '<']) expect(isEmoji.test(other), other).toBe(false)
      for (const one of ['https://a.example', 'HTTPS://a.example:8443/x?y=@#z']) expect(isUrl.test(one), one).toBe(true)
      for (const other of ['http://a.example', 'https://', 'https://u:p@a.example/', 'https://a b/', 'ftp://a'])
        expect(isUrl.test(other), other).toBe(false)
    }
  })

  test('has a schema for every success with a body, and an example of every other response', () => {
    for (const operation of operationsOf(document)) {
      for (const [status, response] of answersOf(document, operation)) {
        const at = `${operation.operationId} ${status}`
        const media = response.content?.['application/json']
        if (status === '204') expect(media, at).toBeUndefined()
        else if (status < '300') expect(media?.schema, at).not.toEqual({})
        else expect(Object.keys(media?.examples ?? {}), at).not.toEqual([])
      }
    }
  })

  test('has examples that match their schemas', () => {
    const errorsOf = checker(document)
    for (const [at, schema, value] of examplesOf(document)) {
      expect([at, errorsOf(schema, value)]).toEqual([at, []])
    }
  })
})

describe('the document of the bot API', () => {
  test('describes every parameter and every field of a body', () => {
    for (const { operationId, parameters = [], requestBody } of operationsOf(bots)) {
      for (const { name, description } of parameters) expect(description, `${operationId} ${name}`).toBeTruthy()
      const fields = requestBody?.content['application/json']?.schema.properties ?? {}
      for (const [name, field] of Object.entries(fields)) {
        const said = field.description ?? field.examples
        expect(said, `${operationId} ${name}`).toBeTruthy()
      }
    }
  })

  test('has an example of every request and every response', () => {
    for (const operation of operationsOf(bots)) {
      const { operationId, requestBody } = operation
      const body = requestBody?.content['application/json']
      if (body) expect(body.example, operationId).toBeDefined()
      for (const [status, { content }] of answersOf(bots, operation)) {
        const { example, examples } = content?.['application/json'] ?? {}
        if (content) expect(example ?? examples, `${operationId} ${status}`).toBeDefined()
      }
    }
  })

  test('describes every event as a webhook request', async () => {
    const {
      server,
      owner,
      room,
      channel,
      bots: [bot],
    } = await channelFixture({ bots: 1 })
    const stream = await Stream.of(server, bot)
    expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: channel.id, text: 'Is it green?' }))
    const [event] = await stream.first(1)

    const described = Object.entries(bots.paths['/webhook']?.['put']?.callbacks ?? {})
    const live = Object.keys(bots.paths['/events/token']?.['get']?.callbacks ?? {})
    expect(live).toEqual(['option.requested'])
    const logged = BOT_EVENT_KINDS.map((kind) => kind.event).filter((name) => !live.includes(name))
    expect(described.map(([name]) => name)).toEqual(logged)
    expect(described.map(([, callback]) => callback[TO_WEBHOOK]?.post.operationId)).toContain('onVoiceMemberJoined')
    const errorsOf = checker(bots)
    const fitting = described.filter(([, callback]) => {
      const { schema = {} } = callback[TO_WEBHOOK]?.post.requestBody.content['application/json'] ?? {}
      return errorsOf(schema, event).length === 0
    })
    expect(fitting.map(([name]) => name)).toEqual(['message.created'])
  })

  test('documents the three headers on every response, and Retry-After on 429', () => {
    const everywhere = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-Request-Id']
    for (const operation of operationsOf(bots)) {
      for (const [status, { headers }] of answersOf(bots, operation)) {
        const expected = status === '429' ? [...everywhere, 'Retry-After'] : everywhere
        expect(Object.keys(headers), `${operation.operationId} ${status}`).toEqual(expected)
      }
    }
  })

  test('hides fields that are only for the portal', () => {
    const text = JSON.stringify(bots)
    for (const word of ['portalOnly', 'ReactionCount', '"mine"', '"rule"', '"check"']) expect(text).not.toContain(word)
    expect(Object.keys(bots.components.schemas['Room']?.properties ?? {})).not.toContain('private')
    expect(Object.keys(portal.components.schemas['Room']?.properties ?? {})).toContain('private')
  })

  test('is public, has the headers of the bot API, and counts against no quota', async () => {
    const {
      server,
      bots: [bot],
    } = await channelFixture({ bots: 1, quotas: 'usual' })
    const response = await fetch(`${server.url}/api/v1/openapi.json`)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(response.headers.get('x-ratelimit-limit')).toBe('60')
    expect(response.headers.get('x-ratelimit-remaining')).toBe('60')
    expect(response.headers.get('x-request-id')).toBeTruthy()
    expect(await response.json()).toEqual(botDocument('http://portico.test', programVersion()))

    await bot.get('/openapi.json')
    expect((await bot.get('/me')).headers.get('x-ratelimit-remaining')).toBe('59')
  })
})

function operationsOf({ paths }: OpenApi): OperationObject[] {
  return Object.values(paths).flatMap((methods) => Object.values(methods))
}

function answersOf({ components }: OpenApi, { responses }: OperationObject): [string, ResponseObject][] {
  return Object.entries(responses).map(([status, answer]) => {
    if (!('$ref' in answer)) return [status, answer]
    const shared = components.responses[answer.$ref.replace('#/components/responses/', '')]
    if (!shared) throw new Error(`${answer.$ref} is not there`)
    return [status, shared]
  })
}

type Shown = [at: string, schema: object, value: unknown]

function examplesOf(document: OpenApi): Shown[] {
  return operationsOf(document).flatMap((operation): Shown[] => {
    const { operationId, parameters = [], requestBody } = operation
    const body = requestBody?.content['application/json']
    return [
      ...parameters
        .filter(({ example }) => example !== undefined)
        .map(({ name, schema, example }): Shown => [`${operationId} ${name}`, schema, example]),
      ...shownBy(`${operationId} body`, body),
      ...answersOf(document, operation).flatMap(([status, { content }]) =>
        shownBy(`${operationId} ${status}`, content?.['application/json']),
      ),
    ]
  })
}

function shownBy(at: string, media: MediaType | undefined): Shown[] {
  if (!media) return []
  const several = Object.entries(media.examples ?? {}).map(([name, { value }]): Shown => [
    `${at} ${name}`,
    media.schema,
    value,
  ])
  return media.example === undefined ? several : [[at, media.schema, media.example], ...several]
}

/** The errors of a value against a schema of the document, which is closed to additional fields. */
function checker(document: OpenApi) {
  const ajv = new Ajv2020({
    strict: false,
    formats: {
      uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
      'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
    },
  })
  for (const [name, schema] of Object.entries(document.components.schemas)) ajv.addSchema(local(schema), name)
  const checks = new Map<string, ValidateFunction>()
  return (schema: object, value: unknown): string[] => {
    const key = JSON.stringify(schema)
    const check = checks.get(key) ?? ajv.compile({ ...local(schema), unevaluatedProperties: false })
    checks.set(key, check)
    return check(value) ? [] : (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
  }
}

/** The schema with references by the plain names of the document's schemas. */
function local(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('#/components/schemas/', '')) as object
}
