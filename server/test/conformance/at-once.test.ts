import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { describe, expect, test, vi } from 'vitest'
import type { Answer } from '../person.ts'
import { accessFixture, changed, type AccessFixture } from '../access-fixture.ts'
import { eventually } from '../eventually.ts'
import type { TestServer } from '../start-server.ts'
import { expectOk, portal } from '../channel-fixture.ts'
import { changesOfBots } from './changes/changes-of-bots.ts'
import { changesOfPlaces } from './changes/changes-of-places.ts'

const CHANGES = [...changesOfBots, ...changesOfPlaces]

async function remembering(): Promise<TestServer> {
  const { server } = await portal()
  await eventually(() => server.services.bus.lease.isHeld).toBe(true)
  return server
}

/** The statements by which a process finds out who asks and where, while something is done. */
async function readsDuring({ services }: TestServer, work: () => Promise<void>): Promise<Set<string>> {
  const query = vi.spyOn(services.database.pool, 'query')
  try {
    await work()
    const names = query.mock.calls.map(([statement]) => nameOf(statement))
    return new Set(names).intersection(REMEMBERED)
  } finally {
    query.mockRestore()
  }
}

const REMEMBERED = new Set(['keys', 'keys_and_places', 'standings', 'profiles'])

function nameOf(statement: unknown): string {
  return typeof statement === 'object' && statement !== null && 'name' in statement ? String(statement.name) : ''
}

/**
 * Whatever a process remembers of keys, applications, roles, rooms and channels: a change that was answered is seen by
 * every request that comes after.
 */
describe('the next request sees that', () => {
  test.for(CHANGES)('$title', async ({ given, reads = [], make, undo, seen }) => {
    const server = await remembering()
    const stand = await accessFixture()
    if (given) expectOk(await given(stand))
    const before = await stand.ask(server)
    // Until everything is remembered. On a slow machine it may be forgotten meanwhile: it lasts ten seconds.
    await eventually(() => readsDuring(server, () => stand.warm(server))).toEqual(new Set(reads))

    expectOk(await make(stand))
    const after = await stand.ask(server)
    server.services.database.accessCache.invalidate()
    expect(after).toEqual(await stand.ask(server))
    expect(changed(before, after).toSorted()).toEqual(seen.toSorted())

    if (!undo) return
    await stand.warm(server)
    expectOk(await undo(stand))
    expect(await stand.ask(server)).toEqual(before)
  })

  test('a mute has ended by itself', async () => {
    const server = await remembering()
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
    // On a machine that is slower than the mute is long, these are already answered as they are below.
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

/** What may happen to a bot while it sends a message, and the answer that it then gets. */
const MEANWHILE: { what: string; make: (stand: AccessFixture) => Promise<Answer>; status: number }[] = [
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

describe('a request that is held back until', () => {
  test.for(MEANWHILE)('$what is refused, whatever was true when it began', async ({ make, status }) => {
    const server = await remembering()
    const stand = await accessFixture()
    const { bot, channel, rooms, maker, application } = stand
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
    // It was accepted and counts; the rest of it is awaited.
    await eventually(used).toBe(before + 1)
    expectOk(await make(stand))
    sent.end(body.slice(1))
    const [response] = (await answered) as [IncomingMessage]
    response.resume()
    expect(response.statusCode).toBe(status)
  })
})

/** Something that is changed over and over, and what a bot sees of it. */
interface Turning {
  readonly what: string
  /** Makes the change with this number; even ones take back the odd ones, where there are two states only. */
  readonly turn: (stand: AccessFixture, nth: number) => Promise<Answer>
  readonly look: (stand: AccessFixture) => Promise<unknown>
  /** What is seen after the change with this number. */
  readonly shows: (nth: number) => unknown
}

const odd = (nth: number): boolean => nth % 2 === 1
const status = async (asked: Promise<Answer>): Promise<number> => (await asked).status

const TURNING: Turning[] = [
  {
    what: 'the name of the application',
    turn: ({ maker, application }, nth) => maker.patch(application, { name: `Clerk ${nth}` }),
    look: async ({ bot }) => expectOk(await bot.get<{ application: { name: string } }>('/me')).application.name,
    shows: (nth) => (nth === 0 ? 'Clerk' : `Clerk ${nth}`),
  },
  {
    what: 'the name of the channel',
    turn: ({ owner, at }, nth) => owner.patch(at, { name: `Ateliers ${nth}` }),
    look: async ({ bot, at }) => expectOk(await bot.get<{ name: string }>(at)).name,
    shows: (nth) => (nth === 0 ? 'Ateliers' : `Ateliers ${nth}`),
  },
  {
    what: 'the quota',
    turn: ({ administrator, application }, nth) =>
      administrator.put(`${application}/limits`, { requests: 100_000 + nth, writes: 100_000 }),
    look: async ({ bot }) => Number((await bot.get('/commands')).headers.get('x-ratelimit-limit')),
    shows: (nth) => 100_000 + nth,
  },
  {
    what: 'the rights of a role',
    turn: ({ owner, at, helper }, nth) =>
      owner.patch(`${at}/roles/${helper.id}`, { rights: odd(nth) ? ['pin_text_msg'] : helper.rights }),
    look: ({ bot, bob, at }) => status(bot.put(`${at}/members/${bob.id}/chat-mute`, { durationSec: 3600 })),
    shows: (nth) => (odd(nth) ? 403 : 200),
  },
  {
    what: 'whom a private room admits',
    turn: ({ admit, bot }, nth) => admit([], odd(nth) ? [] : [bot.id]),
    look: ({ bot, channel, rooms }) =>
      status(bot.get(`/rooms/${rooms.hidden.id}/messages?channelId=${channel.id}&limit=1`)),
    shows: (nth) => (odd(nth) ? 422 : 200),
  },
  {
    what: 'what a room denies',
    turn: async ({ owner, at, rooms, role }, nth) => {
      const { id } = await role('CHANNEL_BOT')
      const deny = odd(nth) ? ['react_text_msg'] : []
      return owner.put(`${at}/rooms/${rooms.text.id}/overrides/${id}`, { allow: [], deny })
    },
    look: ({ bot, channel, rooms, messageId }) =>
      status(
        bot.post(`/rooms/${rooms.text.id}/messages/${messageId}/reactions`, { channelId: channel.id, emoji: '👍' }),
      ),
    shows: (nth) => (odd(nth) ? 403 : 201),
  },
  {
    what: 'a mute in voice',
    turn: ({ owner, at, bot }, nth) => {
      const mute = `${at}/members/${bot.id}/voice-mute`
      return odd(nth) ? owner.put(mute, {}) : owner.delete(mute)
    },
    look: async ({ bot, channel, rooms }) =>
      expectOk(await bot.post<{ canPublish: boolean }>(`/rooms/${rooms.voice.id}/voice`, { channelId: channel.id }))
        .canPublish,
    shows: (nth) => !odd(nth),
  },
]

const TURNS = 12
const LOOKERS = 3

describe('while many ask', () => {
  test.for(TURNING)('$what is never older than the last change that was answered', async ({ turn, look, shows }) => {
    await remembering()
    const stand = await accessFixture()
    expectOk(await stand.administrator.put(`${stand.application}/limits`, { requests: 100_000, writes: 100_000 }))
    const turns = { begun: 0, answered: 0 }
    const lookOnce = async (): Promise<void> => {
      const from = turns.answered
      const seen = await look(stand)
      const possible = Array.from({ length: turns.begun - from + 1 }, (_, at) => shows(from + at))
      expect(possible).toContain(seen)
    }
    const looking = Array.from({ length: LOOKERS }, async () => {
      while (turns.answered < TURNS) await lookOnce()
    })
    const turning = (async () => {
      while (turns.begun < TURNS) {
        turns.begun += 1
        expectOk(await turn(stand, turns.begun))
        turns.answered = turns.begun
        await lookOnce()
      }
    })()
    await Promise.all([turning, ...looking])
    await lookOnce()
  })
})
