import {
  optionSuggested,
  SUGGESTION_LIMITS,
  type EventData,
  type EventToken,
  type optionRequested,
  type StreamState,
} from '@portico/contract'
import { describe, expect, test } from 'vitest'
import type { Bot } from '../../test/bot.ts'
import { channelFixture, expectOk, type EventEnvelope } from '../../test/channel-fixture.ts'
import { eventually } from '../../test/eventually.ts'
import { expectRefusal } from '../../test/expect-refusal.ts'
import { newAdministrator } from '../../test/new-person.ts'
import { OpenPortal } from '../../test/open-portal.ts'
import { Person } from '../../test/person.ts'
import { redisProgram } from '../../test/redis.ts'
import { startCluster } from '../../test/start-cluster.ts'
import { Stream } from '../../test/stream.ts'
import type { TestServer } from '../../test/start-server.ts'
import { optionRequestId, readOptionRequest } from './option-request-id.ts'

const OPTIONS = [
  { name: 'service', type: 'string', required: true, suggestions: true },
  { name: 'count', type: 'integer', suggestions: true },
  { name: 'where', type: 'choice', choices: [{ value: 'staging' }, { value: 'live' }] },
  { name: 'who', type: 'member' },
  { name: 'room', type: 'room' },
]
const API = { value: 'api', label: 'API server' }
const over = { reason: 'option_request_over', message: 'Nobody is waiting for these suggestions anymore.' } as const
const noOption = { reason: 'no_such_option' } as const

interface Place {
  readonly id: string
  readonly channelId: string
}

function declare(bot: Bot, options: readonly object[] = OPTIONS) {
  return bot.put('/commands', { commands: [{ name: '/Deploy', description: 'Deploys', options }] })
}

function ask(person: Person, { id, channelId }: Place, bot: Bot, more: object = {}) {
  const asked = { channelId, botId: bot.id, command: '/deploy', option: 'service', typed: '', line: ' ', ...more }
  return person.post<{ id: string }>(`/rooms/${id}/option-requests`, asked)
}

function suggest(bot: Bot, requestId: string, suggestions: readonly object[] = [API]) {
  return bot.put(`/option-requests/${requestId}/suggestions`, { suggestions })
}

/** Asks until the bot answers in time: a slow machine may need several attempts. */
async function answered(person: Person, room: Place, bot: Bot, suggestions?: readonly object[]): Promise<string> {
  for (;;) {
    const { id } = expectOk(await ask(person, room, bot))
    const answer = await suggest(bot, id, suggestions)
    if (answer.status === 204) return id
    expectRefusal(answer, 'unprocessable', over)
  }
}

/** The id of a request that doesn’t expire during the test. */
function lastingId({ services }: TestServer, bot: Bot, { channelId }: Place, person: Person): string {
  const at = Date.now() + 3_600_000
  return optionRequestId(services.secret, bot.id, { channelId, userId: person.id, at })
}

/** A stream of the bot that delivers. */
async function streamOf(
  server: Pick<TestServer, 'url'>,
  owner: Person,
  bot: Bot,
  kinds = 'message.created,option.requested',
): Promise<Stream> {
  const path = `/events/token${kinds && `?kinds=${kinds}`}`
  const stream = await Stream.with(server, async () => expectOk(await bot.get<EventToken>(path)).token)
  const state = async () => expectOk(await owner.get<StreamState>(`/applications/${bot.application.id}/stream`)).state
  await eventually(state).toBe('live')
  return stream
}

function requestsIn({ received }: Stream): EventData<typeof optionRequested>[] {
  const requests = received.filter(({ envelope }) => envelope.event === 'option.requested')
  return requests.map(({ envelope }) => envelope.data as EventData<typeof optionRequested>)
}

/** A bot with a command that suggests, which has connected. */
async function suggesting<const N extends number = 0>(people?: N, kinds?: string) {
  const made = await channelFixture({ people: people ?? (0 as N), bots: 2 })
  const [bot, other] = made.bots
  expectOk(await declare(bot))
  expectOk(await declare(other))
  const stream = await streamOf(made.server, made.owner, bot, kinds)
  return { ...made, bot, other, stream }
}

describe('requestSuggestions', () => {
  test('sends an event to the application whose command it is, with the other options', async () => {
    const { server, owner, room, bot, other, stream } = await suggesting()
    const others = await streamOf(server, owner, other)
    const line = ` ap where:live who:<@${owner.id}> room:workshop count:many`
    const { id } = expectOk(await ask(owner, room, bot, { typed: 'ap', line }))
    await stream.until(() => stream.received.length > 0)
    const [event] = stream.received
    expect(event?.envelope satisfies EventEnvelope | undefined).toEqual({
      event: 'option.requested',
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      channelId: room.channelId,
      data: {
        requestId: id,
        roomId: room.id,
        command: '/Deploy',
        option: 'service',
        typed: 'ap',
        options: { where: 'live', who: owner.id, room: room.id },
        user: { id: owner.id, name: owner.name },
      },
    })
    expectOk(await ask(owner, room, other))
    await others.until(() => others.received.length > 0)
    expect([requestsIn(others), requestsIn(stream)]).toMatchObject([[{ typed: '' }], [{ typed: 'ap' }]])
  })

  test('sends nothing to a stream that doesn’t ask for it, and nothing later', async () => {
    const { server, owner, room, bot, stream } = await suggesting(0, '')
    expectOk(await ask(owner, room, bot))
    const say = async (text: string) => {
      expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text }))
    }
    await say('after it')
    await stream.first(1)
    stream.client.disconnect()
    expectOk(await ask(owner, room, bot))
    const again = await streamOf(server, owner, bot)
    await say('once more')
    await again.first(1)
    expect([stream, again].map((each) => each.received.map(({ envelope }) => envelope.event))).toEqual([
      ['message.created'],
      ['message.created'],
    ])
    const { rows } = await server.services.database.pool.query(
      `SELECT FROM events WHERE channel_id = $1 AND event LIKE 'option.%'`,
      [room.channelId],
    )
    expect(rows).toEqual([])
  })

  test('refuses those who can’t write there, and what the room doesn’t offer', async () => {
    const { owner, people, room, at, bot, stream, newRoom, newPerson, newBot, role } = await suggesting(2)
    const [ada, ben] = people
    const refused = (answer: Awaited<ReturnType<typeof ask>>) => expectRefusal(answer, 'unprocessable', noOption)
    refused(await ask(ada, room, bot, { command: '/other' }))
    refused(await ask(ada, room, bot, { option: 'other' }))
    refused(await ask(ada, room, bot, { option: 'where' }))
    refused(await ask(ada, room, { ...bot, id: owner.id } as Bot))
    const elsewhere = await newBot()
    expectOk(await declare(elsewhere))
    expectOk(await owner.delete(`${at}/applications/${elsewhere.application.id}`))
    refused(await ask(ada, room, elsewhere))

    expect(await ask(await newPerson(), room, bot)).toMatchObject({ status: 403, body: { reason: 'not_a_member' } })
    const hidden = await newRoom('text', { private: true })
    const secret = { id: hidden.id, channelId: room.channelId }
    const admit = (memberIds: string[]) => owner.put(`${at}/rooms/${hidden.id}/admissions`, { roleIds: [], memberIds })
    expectOk(await admit([bot.id]))
    expectRefusal(await ask(ada, secret, bot), 'unprocessable', { reason: 'no_such_room' })
    expectOk(await admit([ada.id]))
    refused(await ask(ada, secret, bot))
    expectOk(await admit([ada.id, bot.id]))
    expectOk(await ask(ada, secret, bot))

    expectOk(await owner.put(`${at}/members/${ada.id}/chat-mute`, {}))
    expect(await ask(ada, room, bot)).toMatchObject({ status: 403, body: { reason: 'muted' } })
    expectOk(await owner.put(`${at}/members/${ben.id}/ban`, {}))
    expect((await ask(ben, room, bot)).status).toBe(403)
    expectOk(await owner.put(`${at}/members/${bot.id}/chat-mute`, {}))
    refused(await ask(owner, room, bot))
    expectOk(await owner.delete(`${at}/members/${bot.id}/chat-mute`))
    const { id: roleId } = await role('CHANNEL_BOT')
    expectOk(await owner.put(`${at}/rooms/${room.id}/overrides/${roleId}`, { allow: [], deny: ['read_text_room'] }))
    refused(await ask(owner, room, bot))
    expect(requestsIn(stream)).toMatchObject([{ roomId: hidden.id }])
  })

  test('asks a bot only so often for one person', async () => {
    const { owner, people, room, bot } = await suggesting(1)
    const burst = () => Promise.all(Array.from({ length: 30 }, () => ask(owner, room, bot)))
    const isRefused = async () => (await burst()).some(({ status }) => status === 429)
    await eventually(isRefused).toBe(true)
    const refused = (await burst()).find(({ status }) => status === 429)
    if (refused) expectRefusal(refused, 'tooManyRequests', { reason: 'too_fast', retryAfterSec: 1 })
    expectOk(await ask(people[0], room, bot))
  })
})

describe('sendSuggestions', () => {
  test('reaches the portals of the person who asked, from the bot that was asked', async () => {
    const { server, owner, people, room, bot, other, stream } = await suggesting(1)
    const [ada] = people
    const [mine, others] = [await OpenPortal.of(server, ada), await OpenPortal.of(server, owner)]
    const { id: foreign } = expectOk(await ask(ada, room, bot))
    await stream.until(() => stream.received.length > 0)
    expectRefusal(await suggest(other, foreign), 'unprocessable', over)
    const suggestions = [API, { value: 'two words' }]
    const id = await answered(ada, room, bot, suggestions)
    expect(await mine.next(optionSuggested)).toMatchObject({
      channelId: room.channelId,
      data: { requestId: id, suggestions },
    })
    const again = await answered(owner, room, bot, [])
    expect((await others.next(optionSuggested)).data).toEqual({ requestId: again, suggestions: [] })
    expect(others.eventsOf(optionSuggested)).toHaveLength(1)
  })

  test('is refused when nobody waits anymore', async () => {
    const { server, owner, people, at, room, bot } = await suggesting(1)
    const [ada] = people
    const { id } = expectOk(await ask(ada, room, bot))
    const { secret } = server.services
    const asked = readOptionRequest(secret, bot.id, id)
    expect(asked).toMatchObject({ channelId: room.channelId, userId: ada.id })
    const refused = async (requestId: string) =>
      expectRefusal(await suggest(bot, requestId), 'unprocessable', over, requestId)
    const now = asked?.at ?? 0
    const { within } = SUGGESTION_LIMITS
    const idWith = (changed: { at: number; userId?: string }) =>
      optionRequestId(secret, bot.id, { channelId: room.channelId, userId: ada.id, ...changed })
    await refused(idWith({ at: now - within * 1000 }))
    await refused(idWith({ at: now + 3_600_000, userId: bot.application.id }))
    const fresh = lastingId(server, bot, room, ada)
    expectOk(await suggest(bot, fresh))
    await refused((fresh.startsWith('A') ? 'B' : 'A') + fresh.slice(1))
    await refused(fresh.slice(0, -1) + (fresh.endsWith('A') ? 'B' : 'A'))
    for (const nonsense of [id.slice(1), `${id}A`, 'x', '%00']) expect((await suggest(bot, nonsense)).status).toBe(400)

    expectOk(await ada.delete(`${at}/membership`))
    await refused(fresh)
    expectOk(await ada.post(`${at}/join`))
    expectOk(await suggest(bot, fresh))
    expectOk(await owner.delete(`${at}/applications/${bot.application.id}`))
    await refused(fresh)
  })

  test.each<[string, unknown, string]>([
    ['26', Array.from({ length: 26 }, () => API), 'suggestions: must be a list of at most 25 suggestions'],
    ['no value', [{ label: 'API' }], 'suggestions.0.value: is required'],
    ['an empty value', [{ value: '' }], 'must be one line of 1–100 characters'],
    ['a value of two lines', [{ value: 'a\nb' }], 'must be one line of 1–100 characters'],
    ['blanks around a value', [{ value: ' a' }], 'without blanks around it'],
    ['a value that is too long', [{ value: 'v'.repeat(101) }], 'must be one line of 1–100 characters'],
    ['a label that is too long', [{ value: 'v', label: 'l'.repeat(101) }], 'label: must be 1–100 characters'],
    ['a number', [{ value: 1 }], 'suggestions.0.value'],
  ])('refuses %s', async (_, suggestions, message) => {
    const { owner, room, bot } = await suggesting()
    const { id } = expectOk(await ask(owner, room, bot))
    const refused = await bot.put(`/option-requests/${id}/suggestions`, { suggestions })
    expect(refused).toMatchObject({ status: 400, body: { message: expect.stringContaining(message) as string } })
  })

  test('has its own quota, and doesn’t count as a request or a write', async () => {
    const { server, owner, room, newBot } = await channelFixture()
    const bot = await newBot({ quotas: 'usual' })
    expectOk(await declare(bot))
    const requestId = lastingId(server, bot, room, owner)
    const first = await suggest(bot, requestId)
    expectOk(first)
    expect(first.headers.get('x-ratelimit-limit')).toBe(String(SUGGESTION_LIMITS.requests))
    const burst = () => Promise.all(Array.from({ length: 70 }, () => suggest(bot, requestId)))
    const refused = async () => (await burst()).find(({ status }) => status === 429)?.body
    await eventually(refused).toMatchObject({
      message: 'The quota of 20 answers with suggestions a second is used up; wait 1 s.',
      retryAfterSec: 1,
    })
    // Two requests of sixty are used: the declaration, and this one.
    expect((await bot.get('/me')).headers.get('x-ratelimit-remaining')).toBe('58')
  })
})

describe('an option with suggestions', () => {
  test.each(['boolean', 'member', 'room', 'role', 'choice'])('can’t be a %s', async (type) => {
    const { bots } = await channelFixture({ bots: 1 })
    const option = { name: 'what', type, suggestions: true, ...(type === 'choice' && { choices: [{ value: 'a' }] }) }
    expect(await declare(bots[0], [option])).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('must have suggestions only if it is a string') as string },
    })
  })
})

describe('setWebhook', () => {
  test('doesn’t take option.requested, which is of no use later', async () => {
    const { bots } = await channelFixture({ bots: 1 })
    const kinds = ['message.created', 'option.requested']
    const refused = await bots[0].put('/webhook', { url: 'https://bot.example/', kinds })
    expect(refused).toMatchObject({ status: 400, body: { field: 'kinds.1' } })
  })
})

describe.skipIf(redisProgram === undefined)('in a cluster', { timeout: 300_000 }, () => {
  test('a bot on one node suggests to a portal on another, whichever node gets the requests', async () => {
    const { nodes } = await startCluster(2)
    const [server, other] = nodes
    const administrator = await newAdministrator(server)
    const { owner, people, room, bots } = await channelFixture({
      people: 1,
      bots: 1,
      portal: { server, administrator },
    })
    const [ada] = people
    const [bot] = bots
    expectOk(await declare(bot))
    const stream = await streamOf(server, owner, bot)
    const open = await OpenPortal.of(other, ada)
    const onOther = new Person(other).known(ada.id, ada.cookie)
    expectOk(await ask(onOther, room, bot, { typed: 'ap' }))
    await stream.until(() => requestsIn(stream).length > 0)
    expect(requestsIn(stream)).toMatchObject([{ typed: 'ap' }])
    const id = await answered(onOther, room, bot)
    expect((await open.next(optionSuggested)).data).toEqual({ requestId: id, suggestions: [API] })
  })
})
