import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { describe, expect, test, vi } from 'vitest'
import type { Answer } from '../person.ts'
import { accessFixture, changed, type AccessFixture } from '../access-fixture.ts'
import { eventually } from '../eventually.ts'
import { MEDIA_ON, type TestServer } from '../start-server.ts'
import { expectOk, portal } from '../channel-fixture.ts'
import { changesOfBots } from './changes/changes-of-bots.ts'
import { changesOfPlaces } from './changes/changes-of-places.ts'

// Without media nobody can talk, whatever the roles say.
await portal(MEDIA_ON)

const CHANGES = [...changesOfBots, ...changesOfPlaces]

/** A server whose access cache is in use. */
async function cachingServer(): Promise<TestServer> {
  const { server } = await portal()
  await eventually(() => server.services.bus.lease.isHeld).toBe(true)
  return server
}

/** The statements for data that is normally cached, as far as the work sends them. */
async function readsDuring({ services }: TestServer, work: () => Promise<void>): Promise<Set<string>> {
  const query = vi.spyOn(services.database.pool, 'query')
  try {
    await work()
    const names = query.mock.calls.map(([statement]) => nameOf(statement))
    return new Set(names).intersection(CACHED)
  } finally {
    query.mockRestore()
  }
}

const CACHED = new Set(['keys', 'keys_and_places', 'places', 'profiles'])

function nameOf(statement: unknown): string {
  return typeof statement === 'object' && statement !== null && 'name' in statement ? String(statement.name) : ''
}

/** Keys, applications, roles, rooms and channels are cached. A change that was acknowledged is visible to every later request. */
describe('the next request sees that', () => {
  test.for(CHANGES)('$title', async ({ given, reads = [], make, undo, seen }) => {
    const server = await cachingServer()
    const fixture = await accessFixture()
    if (given) expectOk(await given(fixture))
    const before = await fixture.sendAll(server)
    // Until everything is cached. On a slow machine, entries may expire meanwhile: they are valid for ten seconds.
    // In a cluster, requests reach any of the nodes, each of which has its own cache.
    if (server.services.redis) await fixture.fillCache(server)
    else {
      await eventually(() => readsDuring(server, () => fixture.fillCache(server))).toEqual(new Set(reads))
    }

    expectOk(await make(fixture))
    const after = await fixture.sendAll(server)
    server.services.database.accessCache.invalidate()
    expect(after).toEqual(await fixture.sendAll(server))
    expect(changed(before, after).toSorted()).toEqual(seen.toSorted())

    if (!undo) return
    await fixture.fillCache(server)
    expectOk(await undo(fixture))
    expect(await fixture.sendAll(server)).toEqual(before)
  })

  test('a mute has ended by itself', async () => {
    const server = await cachingServer()
    const { owner, at, bot, channel, rooms, messageId } = await accessFixture()
    const channelId = channel.id
    const react = async () =>
      (await bot.post(`/rooms/${rooms.text.id}/messages/${messageId}/reactions`, { channelId, emoji: '👍' })).status
    const canPublish = async () =>
      expectOk(await bot.post<{ canPublish: boolean }>(`/rooms/${rooms.voice.id}/voice`, { channelId })).canPublish
    await Promise.all([react(), canPublish()])
    for (const kind of ['chat', 'voice']) {
      expectOk(await owner.put(`${at}/members/${bot.id}/${kind}-mute`, { durationSec: 3 }))
    }
    // If the machine is slower than the mute is long, the mute has already ended.
    for (let warm = 0; warm < 3; warm += 1) await Promise.all([react(), canPublish()])
    const isOver = async (): Promise<boolean> => {
      const { rows } = await server.services.database.pool.query<{ over: boolean }>(
        `SELECT now() > chat_muted_until AND now() > voice_muted_until AS over
         FROM members WHERE channel_id = $1 AND account_id = $2`,
        [channelId, bot.id],
      )
      return rows[0]?.over === true
    }
    await eventually(isOver).toBe(true)
    expect(await Promise.all([react(), canPublish()])).toEqual([201, true])
  })
})

/** Changes while a bot is sending a message, and the status of the response. */
const MEANWHILE: { what: string; make: (fixture: AccessFixture) => Promise<Answer>; status: number }[] = [
  {
    what: 'the key was re-issued',
    make: ({ maker, application }) => maker.put(`${application}/key`, { scopes: ['messages:write'] }),
    status: 401,
  },
  {
    what: 'the application was deleted',
    make: ({ maker, application }) => maker.delete(application, { name: 'Clerk' }),
    status: 401,
  },
  { what: 'the bot was kicked', make: ({ owner, at, bot }) => owner.delete(`${at}/members/${bot.id}`), status: 403 },
  {
    what: 'the bot was muted',
    make: ({ owner, at, bot }) => owner.put(`${at}/members/${bot.id}/chat-mute`, {}),
    status: 403,
  },
  {
    what: 'the room became private',
    make: ({ owner, at, rooms }) => owner.patch(`${at}/rooms/${rooms.text.id}`, { private: true }),
    status: 422,
  },
]

describe('a request whose body arrives only after', () => {
  test.for(MEANWHILE)('$what is refused', async ({ make, status }) => {
    const server = await cachingServer()
    const fixture = await accessFixture()
    const { bot, channel, rooms, maker, application } = fixture
    const used = async (): Promise<number> =>
      expectOk(await maker.get<{ requests: { used: number } }>(`${application}/usage`)).requests.used
    const before = await used()
    const body = JSON.stringify({ channelId: channel.id, text: 'Held back' })
    const { hostname, port } = new URL(server.url)
    const sent = request({
      hostname,
      port,
      method: 'POST',
      path: `/api/v1/rooms/${rooms.text.id}/messages`,
      headers: {
        authorization: `Bot ${bot.key}`,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      },
    })
    const answered = once(sent, 'response')
    sent.write(body.slice(0, 1))
    // The headers were accepted and counted; the body is still missing.
    await eventually(used).toBe(before + 1)
    expectOk(await make(fixture))
    sent.end(body.slice(1))
    const [response] = (await answered) as [IncomingMessage]
    response.resume()
    expect(response.statusCode).toBe(status)
  })
})

/** A value that changes repeatedly, and how a bot reads it. */
interface ChangingValue {
  readonly what: string
  /** Makes a change, given its position from 1. If there are only two states, even changes revert the odd ones. */
  readonly change: (fixture: AccessFixture, position: number) => Promise<Answer>
  readonly read: (fixture: AccessFixture) => Promise<unknown>
  /** The value after the change at this position; 0: before the first one. */
  readonly valueAfter: (position: number) => unknown
}

const odd = (position: number): boolean => position % 2 === 1
const status = async (answer: Promise<Answer>): Promise<number> => (await answer).status

const CHANGING: ChangingValue[] = [
  {
    what: 'the name of the application',
    change: ({ maker, application }, position) => maker.patch(application, { name: `Clerk ${position}` }),
    read: async ({ bot }) => expectOk(await bot.get<{ application: { name: string } }>('/me')).application.name,
    valueAfter: (position) => (position === 0 ? 'Clerk' : `Clerk ${position}`),
  },
  {
    what: 'the name of the channel',
    change: ({ owner, at }, position) => owner.patch(at, { name: `Ateliers ${position}` }),
    read: async ({ bot, at }) => expectOk(await bot.get<{ name: string }>(at)).name,
    valueAfter: (position) => (position === 0 ? 'Ateliers' : `Ateliers ${position}`),
  },
  {
    what: 'the quota',
    change: ({ administrator, application }, position) =>
      administrator.put(`${application}/limits`, { requests: 100_000 + position, writes: 100_000 }),
    read: async ({ bot }) => Number((await bot.get('/commands')).headers.get('x-ratelimit-limit')),
    valueAfter: (position) => 100_000 + position,
  },
  {
    what: 'the rights of a role',
    change: ({ owner, at, helper }, position) =>
      owner.patch(`${at}/roles/${helper.id}`, { rights: odd(position) ? ['pin_text_msg'] : helper.rights }),
    read: ({ bot, bob, at }) => status(bot.put(`${at}/members/${bob.id}/chat-mute`, { durationSec: 3600 })),
    valueAfter: (position) => (odd(position) ? 403 : 200),
  },
  {
    what: 'the admissions of a private room',
    change: ({ admit, bot }, position) => admit([], odd(position) ? [] : [bot.id]),
    read: ({ bot, channel, rooms }) =>
      status(bot.get(`/rooms/${rooms.hidden.id}/messages?channelId=${channel.id}&limit=1`)),
    valueAfter: (position) => (odd(position) ? 422 : 200),
  },
  {
    what: 'the overrides of a room',
    change: async ({ owner, at, rooms, role }, position) => {
      const { id } = await role('CHANNEL_BOT')
      const deny = odd(position) ? ['react_text_msg'] : []
      return owner.put(`${at}/rooms/${rooms.text.id}/overrides/${id}`, { allow: [], deny })
    },
    read: ({ bot, channel, rooms, messageId }) =>
      status(
        bot.post(`/rooms/${rooms.text.id}/messages/${messageId}/reactions`, { channelId: channel.id, emoji: '👍' }),
      ),
    valueAfter: (position) => (odd(position) ? 403 : 201),
  },
  {
    what: 'a mute in voice',
    change: ({ owner, at, bot }, position) => {
      const mute = `${at}/members/${bot.id}/voice-mute`
      return odd(position) ? owner.put(mute, {}) : owner.delete(mute)
    },
    read: async ({ bot, channel, rooms }) =>
      expectOk(await bot.post<{ canPublish: boolean }>(`/rooms/${rooms.voice.id}/voice`, { channelId: channel.id }))
        .canPublish,
    valueAfter: (position) => !odd(position),
  },
]

const CHANGE_COUNT = 12
const READERS = 3

describe('under concurrent reads', () => {
  test.for(CHANGING)('$what is never older than the last acknowledged change', async ({ change, read, valueAfter }) => {
    await cachingServer()
    const fixture = await accessFixture()
    expectOk(await fixture.administrator.put(`${fixture.application}/limits`, { requests: 100_000, writes: 100_000 }))
    const changes = { started: 0, acknowledged: 0 }
    const checkValue = async (): Promise<void> => {
      const from = changes.acknowledged
      const value = await read(fixture)
      const possible = Array.from({ length: changes.started - from + 1 }, (_, at) => valueAfter(from + at))
      expect(possible).toContain(value)
    }
    const reading = Array.from({ length: READERS }, async () => {
      while (changes.acknowledged < CHANGE_COUNT) await checkValue()
    })
    const changing = (async () => {
      while (changes.started < CHANGE_COUNT) {
        changes.started += 1
        expectOk(await change(fixture, changes.started))
        changes.acknowledged = changes.started
        await checkValue()
      }
    })()
    await Promise.all([changing, ...reading])
    await checkValue()
  })
})
