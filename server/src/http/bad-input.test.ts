import { Ajv } from 'ajv'
import type { Category, ErrorBody, Invitation } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { callsOf, sample, type ApiDocument, type Call, type Schema } from '../../test/api-document.ts'
import { isFullRun } from '../../test/full-run.ts'
import { Person, type Answer } from '../../test/person.ts'
import { expectOk, portal, channelFixture } from '../../test/channel-fixture.ts'

const { server, administrator } = await portal()
const document = expectOk(await administrator.get<ApiDocument>('/openapi.json'))
const calls = callsOf(document)
const nobody = new Person(server)

/** Real ids for every route, of a channel of the caller, so that only the format can be wrong. */
const known = await knownIds(administrator)
/** The same for a channel of other people. */
const foreign = await knownIds(await new Person(server).signUp())
const NOWHERE = '01890000-0000-7000-8000-00000000dead'

const PLAIN = [null, true, -1, 1.5, 1e308]
const TEXTS = ['', ' ', 'a\0b', '\ud800', '💥'.repeat(3000), 'x'.repeat(100_000), '__proto__', `${NOWHERE}\n`]
const LISTS = [[], [[]], [null], ['\0'], [{}], Array.from({ length: 5000 }, () => '')]
const OBJECTS = ['{}', '{"__proto__":{"x":1}}', '{"$ne":null}']
const DEEP = ['['.repeat(2000) + ']'.repeat(2000), '{"a":'.repeat(2000) + '1' + '}'.repeat(2000)]
const HOSTILE: readonly unknown[] = [
  ...PLAIN,
  ...TEXTS,
  ...LISTS,
  ...[...OBJECTS, ...DEEP].map((text) => JSON.parse(text)),
]

const COOKIES = ['portico=', 'portico=%00', 'portico=%ff', `portico=${'x'.repeat(4000)}`]
const ORIGINS = ['', 'http://evil.example', 'null', 'http://portico.test.evil.example', 'x']
const MALFORMED_IDS = ['%00', '%ED%A0%80', '%', 'x', "'", 'x'.repeat(600), '%F0%9F%92%A5']

const BROKEN_BODIES: readonly [what: string, body: string | Uint8Array, headers?: Record<string, string>][] = [
  ['cut off', '{"name": "x'],
  ['no JSON', 'name=x'],
  ['a second value behind', '{} {}'],
  ['a list', '[]'],
  ['a text', '"x"'],
  ['a number', '1'],
  ['null', 'null'],
  ['nested a hundred thousand deep', '['.repeat(100_000)],
  ['not UTF-8', Uint8Array.from([0x22, 0xff, 0xfe, 0x22])],
  ['a surrogate in UTF-8', Uint8Array.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
  ['too large', JSON.stringify({ name: 'x'.repeat(300 * 1024) })],
  ['a form', 'name=x', { 'content-type': 'application/x-www-form-urlencoded' }],
  ['plain text', '{}', { 'content-type': 'text/plain' }],
  ['XML', '<name/>', { 'content-type': 'application/xml' }],
  ['no type', '{}', { 'content-type': '' }],
]

/** One transparent pixel. */
const PICTURE = Uint8Array.from(
  Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
    'base64',
  ),
)

const ajv = new Ajv({ strict: false, formats: { uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i } })

test('the walk covers the whole portal', () => {
  expect(calls.length).toBeGreaterThan(40)
  expect(calls.map(({ name }) => name)).toEqual(expect.arrayContaining(['signUp', 'createChannel', 'setMemberRoles']))
})

const takesAnything = ({ open, method, inPath, inQuery }: Call): boolean =>
  !open || method !== 'GET' || Object.keys({ ...inPath, ...inQuery }).length > 0

/** In a plain run each call gets every third value, so that each value still reaches dozens of calls; in CI, all of them. */
function someFor<T>(index: number, values: readonly T[]): readonly T[] {
  return isFullRun ? values : values.filter((_, at) => at % 3 === index % 3)
}

const walked = calls.filter(takesAnything).map((call, index) => [call.name, call, index] as const)

describe.each(walked)('%s', (_name, call, index) => {
  const { method } = call
  const changes = method !== 'GET'
  const ids = Object.keys(call.inPath)

  if (!call.open)
    test('requires a session', async () => {
      const statusOf = (answer: Answer<ErrorBody>): number => (call.signedOut === 204 ? answer.status : refusal(answer))
      expect(statusOf(await send(nobody, call))).toBe(call.signedOut)
      for (const cookie of someFor(index, COOKIES)) {
        expect(statusOf(await send(nobody, call, { headers: { cookie } })), cookie).toBe(call.signedOut)
      }
    })

  if (changes)
    test('requires the portal’s origin', async () => {
      for (const origin of someFor(index, ORIGINS)) {
        expect(refusal(await send(administrator, call, { headers: { origin } })), origin).toBe(403)
      }
    })

  if (ids.length > 0)
    test('rejects malformed ids in the path', async () => {
      for (const name of ids) {
        for (const value of someFor(index, MALFORMED_IDS)) {
          const path = filled(call, { ...known, [name]: value }, (text) => text)
          const answer = await send(administrator, call, { path })
          expect([400, 404], `${name} = ${value}`).toContain(refusal(answer))
        }
      }
    })

  if (Object.keys(call.inQuery).length > 0)
    test('rejects invalid values in the query, and names the field', async () => {
      for (const [name, schema] of Object.entries(call.inQuery)) {
        const wrong = ['', 'x', '-1', '1.5', '1e999', '99999999999999999999', '%00', '[]', 'null']
        for (const value of wrong.filter((text) => !fits(schema, asQuery(schema, text)))) {
          const answer = await send(administrator, call, { query: { [name]: value } })
          expect([refusal(answer), answer.body.field], `${name} = ${value}`).toEqual([400, name])
        }
        const twice = await send(administrator, call, { query: { [name]: `1&${name}=2` } })
        expect([refusal(twice), twice.body.field]).toEqual([400, name])
      }
    })

  if (changes && !call.file)
    test(
      call.picture ? 'rejects a body that is not a picture' : 'rejects a body that is not a JSON object',
      async () => {
        for (const [what, body, headers] of someFor(index, BROKEN_BODIES)) {
          expect(refusal(await send(administrator, call, { body, headers: headers ?? {} })), what).toBe(400)
        }
      },
    )

  if (call.body)
    test('rejects invalid values in the body, and names the field', async () => {
      for (const [at, [name, schema]] of Object.entries(call.body?.properties ?? {}).entries()) {
        const wrong = HOSTILE.filter((value) => !fits(schema, value))
        for (const value of someFor(index + at, wrong)) {
          const body = { ...(sample(call.body ?? {}, '', known) as object), [name]: value }
          const answer = await send(administrator, call, { body })
          const shown = `${name} = ${JSON.stringify(value).slice(0, 60)}`
          expect(refusal(answer), shown).toBe(400)
          expect(answer.body.field?.split('.')[0], shown).toBe(name)
        }
      }
      for (const name of call.body?.required ?? []) {
        const { [name]: _, ...body } = sample(call.body ?? {}, '', known) as Record<string, unknown>
        const answer = await send(administrator, call, { body })
        expect([refusal(answer), answer.body.field], `without ${name}`).toEqual([400, name])
      }
    })

  if (ids.length > 0 && call.name !== 'getRemoval')
    test('rejects unknown ids and ids of other channels', async () => {
      for (const name of ids.filter((name) => call.inPath[name]?.format === 'uuid')) {
        // Administrators have access to every channel.
        const elsewhere = call.path.startsWith('/administration/') ? undefined : foreign[name]
        for (const id of [NOWHERE, elsewhere ?? NOWHERE]) {
          const answer = await send(administrator, call, { path: filled(call, { ...known, [name]: id }) })
          expect([403, 404, 422], name).toContain(refusal(answer))
        }
      }
    })

  const bodyIds = Object.entries(call.body?.properties ?? {}).filter(([, { format, items }]) =>
    [format, items?.format].includes('uuid'),
  )
  // It ignores them: a channel may have been left on another device.
  if (bodyIds.length > 0 && call.name !== 'sortChannels')
    test('rejects unknown ids and ids of other channels in the body', async () => {
      for (const [name, schema] of bodyIds) {
        for (const id of [NOWHERE, foreign[name.replace(/s$/, '')] ?? NOWHERE]) {
          const body = { ...(sample(call.body ?? {}, '', known) as object), [name]: schema.items ? [id] : id }
          expect([403, 404, 422], name).toContain(refusal(await send(administrator, call, { body })))
        }
      }
    })
})

test('getRemoval answers for an unknown channel and one of others as for any that didn’t remove the person', async () => {
  for (const channelId of [NOWHERE, foreign['channelId'] ?? NOWHERE, known['channelId']]) {
    expect(expectOk(await administrator.get(`/channels/${channelId}/removal`))).toEqual({ removal: null })
  }
})

test('an unknown path and an unsupported method are 404', async () => {
  for (const [method, path] of [
    ['GET', '/nowhere'],
    ['PUT', '/session'],
    ['DELETE', '/channels'],
    ['GET', '/channels/x/y/z'],
    ['GET', ''],
  ] as const) {
    expect(refusal(await administrator.request<ErrorBody>(method, path)), path).toBe(404)
  }
  expect(refusal(await administrator.request<ErrorBody>('GET', '/%'))).toBe(400)
})

test('none of these requests changed anything', async () => {
  expect((await administrator.get(`/channels/${known['channelId']}`)).status).toBe(200)
  expect((await administrator.get(`/channels/${known['channelId']}/rooms/${known['roomId']}/access`)).status).toBe(200)
  expect(expectOk(await nobody.get('/instance'))).toMatchObject({ registrationOpen: true })
})

interface Sent {
  path?: string
  query?: Record<string, string>
  body?: object | string | Uint8Array
  headers?: Record<string, string>
}

/** Calls with valid values, except for those given here. */
function send(person: Person, call: Call, { path, query, body, headers }: Sent = {}): Promise<Answer<ErrorBody>> {
  const required = Object.fromEntries(
    call.required.map((name) => [name, String(sample(call.inQuery[name] ?? {}, name, known))]),
  )
  const fields = Object.entries({ ...required, ...query }).map(([name, value]) => `${name}=${value}`)
  const search = fields.length > 0 ? `?${fields.join('&')}` : ''
  const sent = body ?? (call.picture || call.file ? PICTURE : call.body && (sample(call.body, '', known) as object))
  const type: Record<string, string> = call.picture && body === undefined ? { 'content-type': 'image/png' } : {}
  return person.request(call.method, (path ?? filled(call, known)) + search, sent, { ...type, ...headers })
}

/** The status of a response that must have the error format. */
function refusal({ status, body, headers }: Answer<ErrorBody>): number {
  expect(status, JSON.stringify(body)).toBeGreaterThanOrEqual(400)
  expect(status, JSON.stringify(body)).toBeLessThan(500)
  expect(headers.get('content-type')).toMatch(/^application\/json/)
  expect(headers.get('x-request-id')).toBeTruthy()
  expect(body).toMatchObject({ error: expect.any(String), status: 'error', message: expect.any(String) })
  const KNOWN_FIELDS = new Set([
    'error',
    'status',
    'message',
    'field',
    'reason',
    'requiredScope',
    'requiredRight',
    'retryAfterSec',
  ])
  expect(Object.keys(body).filter((key) => !KNOWN_FIELDS.has(key))).toEqual([])
  return status
}

function filled(
  call: Call,
  values: Record<string, string>,
  write: (text: string) => string = encodeURIComponent,
): string {
  return call.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    write(values[name] ?? String(sample(call.inPath[name] ?? {}, name, values))),
  )
}

/** Whether the document allows the value. U+0000 and half surrogate pairs are never allowed. */
function fits(schema: Schema, value: unknown): boolean {
  const text = JSON.stringify(value)
  if (text.includes(String.raw`\u0000`) || /\\ud[89a-f]/.test(text)) return false
  return ajv.validate(whole(schema), value)
}

const resolved = new WeakMap<Schema, object>()

/** With the named schemas, to which it may refer. */
function whole(schema: Schema): object {
  const known = resolved.get(schema) ?? { ...schema, components: document.components }
  resolved.set(schema, known)
  return known
}

function asQuery({ type }: Schema, text: string): unknown {
  return type === 'integer' && text !== '' ? Number(text) : text
}

async function knownIds(member: Person): Promise<Record<string, string>> {
  const { owner, people, at, channel, room, newRole } = await channelFixture({ people: 1 })
  expectOk(await member.post(`${at}/join`))
  const role = await newRole('Watch', [])
  expectOk(await owner.put(`${at}/owner`, { userId: member.id }))
  expectOk(await member.patch(at, { open: false }))
  const category = expectOk(await member.post<Category>(`${at}/categories`, { name: 'Work' }))
  const invitation = expectOk(await member.post<Invitation>(`${at}/invitations`, {}))
  return {
    channelId: channel.id,
    roomId: room.id,
    categoryId: category.id,
    roleId: role.id,
    invitationId: invitation.id,
    code: invitation.code,
    userId: people[0].id,
    memberId: people[0].id,
    emoji: '👍',
    operation: 'sendMessage',
  }
}
