import type { Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { expectRefusal } from '../../test/expect-refusal.ts'
import { connect } from '../../test/filled-database.ts'
import { queryDatabaseOf } from '../../test/query-database.ts'
import type { Person } from '../../test/person.ts'
import type { TestServer } from '../../test/start-server.ts'
import { expectOk, channelFixture } from '../../test/channel-fixture.ts'
import { idAt } from '../command-line/demo/id-at.ts'
import { newestFirst, type Bounds } from './newest-first.ts'

type Found = Output<typeof api.searchMessages>

interface Place {
  readonly id: string
  readonly channelId: string
}

async function say(person: Person, { id, channelId }: Place, text: string): Promise<string> {
  return expectOk(await person.post<{ id: string }>(`/rooms/${id}/messages`, { channelId, text })).id
}

async function search(person: Person, at: string, q: string, more = ''): Promise<Found> {
  return expectOk(await person.get<Found>(`${at}/search?q=${encodeURIComponent(q)}${more}`))
}

const textsOf = ({ hits }: Found): string[] => hits.map(({ message }) => message.text)
const marked = ({ hits }: Found): string[][] =>
  hits.map(({ message, found }) => found.map(({ from, to }) => message.text.slice(from, to)))

describe('searchMessages', () => {
  test('finds all forms of a word, English and Russian, and marks them', async () => {
    const { owner, room, at } = await channelFixture()
    await say(owner, room, 'The builds were <b>running</b> all night 🌙, then one build ran dry')
    await say(owner, room, 'Сборки упали, новую сборку соберу утром')
    await say(owner, room, 'Nothing of the kind')

    const builds = await search(owner, at, 'build')
    expect(marked(builds)).toEqual([['builds', 'build']])
    expect(marked(await search(owner, at, 'run'))).toEqual([['running']])
    expect(marked(await search(owner, at, 'сборка'))).toEqual([['Сборки', 'сборку']])
    expect(textsOf(await search(owner, at, 'сборка build'))).toEqual([])
    expect(textsOf(await search(owner, at, 'сборка or build'))).toHaveLength(2)
    expect(textsOf(await search(owner, at, '"one build"'))).toHaveLength(1)
    expect(textsOf(await search(owner, at, 'build -night'))).toEqual([])
    expect(builds.hits[0]).toMatchObject({ roomId: room.id, message: { author: { id: owner.id }, reactions: [] } })
  })

  test('finds nothing for stop words, punctuation and internal search keys', async () => {
    const { owner, room, at, channel } = await channelFixture()
    await say(owner, room, 'The one')
    for (const q of ['the', '!!!', '-', '"', `channel:${channel.id}`, "' | '", '\\']) {
      expect(textsOf(await search(owner, at, q)), q).toEqual([])
    }
  })

  test('never shows deleted messages, text removed by an edit, or rooms that the caller cannot read', async () => {
    const { owner, people, newRoom, role, at, room } = await channelFixture({ people: 1 })
    const [ada] = people
    const secret = await newRoom('text', { private: true })
    const closed = await newRoom('text')
    const { id: members } = await role('CHANNEL_MEMBER')
    expectOk(await owner.put(`${at}/rooms/${closed.id}/overrides/${members}`, { allow: [], deny: ['read_text_room'] }))
    const gone = await say(owner, room, 'lighthouse one')
    const changed = await say(owner, room, 'lighthouse two')
    await say(owner, room, 'lighthouse three')
    await say(owner, { id: secret.id, channelId: room.channelId }, 'lighthouse four')
    await say(owner, { id: closed.id, channelId: room.channelId }, 'lighthouse five')
    expectOk(await owner.delete(`/rooms/${room.id}/messages/${gone}`, { channelId: room.channelId }))
    expectOk(await owner.patch(`/rooms/${room.id}/messages/${changed}`, { channelId: room.channelId, text: 'a tower' }))

    expect(textsOf(await search(ada, at, 'lighthouse'))).toEqual(['lighthouse three'])
    expect(textsOf(await search(owner, at, 'lighthouse'))).toHaveLength(3)
    expect(textsOf(await search(ada, at, 'lighthouse', `&roomId=${secret.id}`))).toEqual([])
    expectOk(await owner.delete(`${at}/members/${ada.id}`))
    expectRefusal(await ada.get(`${at}/search?q=lighthouse`), 'forbidden', { reason: 'not_a_member' })
  })

  test('returns pages, newest first, filtered by room and author', async () => {
    const { owner, people, newRoom, at, room } = await channelFixture({ people: 1 })
    const other = await newRoom('voice')
    for (let n = 1; n <= 5; n += 1) await say(owner, room, `tide ${n}`)
    await say(people[0], { id: other.id, channelId: room.channelId }, 'tide 6')
    const first = await search(owner, at, 'tide', '&limit=4')
    expect(textsOf(first)).toEqual(['tide 6', 'tide 5', 'tide 4', 'tide 3'])
    expect(first.nextBeforeId).toBe(first.hits.at(-1)?.message.id)
    const second = await search(owner, at, 'tide', `&limit=4&beforeId=${first.nextBeforeId}`)
    expect([textsOf(second), second.nextBeforeId]).toEqual([['tide 2', 'tide 1'], null])
    expect(textsOf(await search(owner, at, 'tide', `&authorId=${people[0].id}`))).toEqual(['tide 6'])
    expect(textsOf(await search(owner, at, 'tide', `&roomId=${other.id}`))).toEqual(['tide 6'])
  })

  test('keeps channels apart', async () => {
    const { owner, room, at } = await channelFixture()
    const other = await channelFixture()
    await say(owner, room, `narwhal channel:${other.channel.id}`)
    await say(other.owner, other.room, 'narwhal')
    expectOk(await owner.post(`${other.at}/join`))
    expect(textsOf(await search(owner, other.at, 'narwhal'))).toEqual(['narwhal'])
    expect(textsOf(await search(owner, at, 'narwhal'))).toHaveLength(1)
  })

  test('finds every message once, in order, across years and bursts', async () => {
    const { server, owner, people, newRoom, at, room } = await channelFixture({ people: 1 })
    const other = await newRoom('text')
    const minutes = [...range(40), ...range(20).map((n) => n * 300), ...range(60).map((n) => n * 25_000)]
    const sent = await insert(server, minutes, (n) => ({
      roomId: n % 7 === 0 ? other.id : room.id,
      authorId: n % 5 === 0 ? people[0].id : owner.id,
      text: n % 3 === 0 ? 'gravel pit' : 'gravel',
    }))
    const idsOf = (isWanted: (message: Inserted) => boolean) =>
      sent
        .filter(isWanted)
        .map(({ id }) => id)
        .toSorted()
        .toReversed()

    expect(await allPages(owner, at, 'gravel', '&limit=7')).toEqual(idsOf(() => true))
    expect(await allPages(owner, at, 'gravel pit')).toEqual(idsOf(({ text }) => text === 'gravel pit'))
    const inOther = await allPages(owner, at, 'gravel', `&limit=3&roomId=${other.id}`)
    expect(inOther).toEqual(idsOf(({ roomId }) => roomId === other.id))
    const byAda = await allPages(owner, at, 'pit', `&limit=3&authorId=${people[0].id}`)
    expect(byAda).toEqual(idsOf(({ text, authorId }) => text === 'gravel pit' && authorId === people[0].id))
  })

  test('reads few messages for frequent and rare words alike', async () => {
    const { server, owner, room } = await channelFixture()
    // One a minute, for two weeks.
    await insert(server, range(20_000), (n) => ({
      roomId: room.id,
      authorId: owner.id,
      text: n === 19_999 ? 'pebble flint' : 'pebble',
    }))
    const { rows } = await sql<Bounds>`
      SELECT (SELECT id FROM messages ORDER BY id LIMIT 1) AS "oldestId",
        (SELECT id FROM messages ORDER BY id DESC LIMIT 1) AS "newestId", -1 AS messages`.execute(
      server.services.database.kysely,
    )
    const reads = async (query: string, beforeId?: string) => {
      const wanted = { query, channelId: room.channelId, rooms: [room.id], allRooms: [room.id], beforeId }
      const { ids, read } = await newestFirst({ db: server.services.database.kysely }, wanted, rows[0]!, 26)
      return { found: ids.length, read, last: ids.at(-1) }
    }
    const first = await reads(`'pebbl'`)
    expect(first.found).toBe(26)
    expect(first.read).toBeLessThan(1000)
    const second = await reads(`'pebbl'`, first.last)
    expect(second.found).toBe(26)
    expect(second.read).toBeLessThan(1000)
    expect(await reads(`'pebbl' & 'flint'`)).toMatchObject({ found: 1, read: 1 })
    // Every message has the words of the phrase, and none has the phrase.
    const phrase = await reads(`'pebbl' <-> 'pebbl'`)
    expect(phrase.found).toBe(0)
    expect(phrase.read).toBeLessThan(5000)
  })

  test('reads few messages where few are sent', async () => {
    const { server, owner, room } = await channelFixture()
    const { channelId } = room
    // One every four hours, for sixteen months.
    const minutes = range(3000).map((n) => n * 240)
    await insert(server, minutes, () => ({ roomId: room.id, authorId: owner.id, text: 'quartz' }))
    const { kysely: db } = server.services.database
    const { rows } = await sql<Bounds>`
      SELECT min(id::text) AS "oldestId", max(id::text) AS "newestId", count(*)::int AS messages
      FROM messages WHERE channel_id = ${channelId}::uuid`.execute(db)
    const wanted = { query: `'quartz'`, channelId, rooms: [room.id], allRooms: [room.id] }
    const { ids, read } = await newestFirst({ db }, wanted, rows[0]!, 26)
    expect(ids).toHaveLength(26)
    expect(read).toBeLessThan(200)
  })

  test('returns a partial page for a rare phrase, and continues from there', async () => {
    const { server, owner, at, room } = await channelFixture()
    const [first] = await insert(server, range(25_000), (n) => ({
      roomId: room.id,
      authorId: owner.id,
      text: n === 24_999 ? 'amber coast' : 'amber is found on every coast',
    }))
    expect(await search(owner, at, '"amber coast"')).toMatchObject({ hits: [], nextBeforeId: expect.any(String) })
    expect(await allPages(owner, at, '"amber coast"')).toEqual([first?.id])
  })

  test('queues a limited number of searches and refuses the rest', async () => {
    const { server, owner, at } = await channelFixture()
    const lock = await connect(server.services.config.DATABASE_URL ?? '')
    try {
      await lock.query('BEGIN; LOCK TABLE messages IN ACCESS EXCLUSIVE MODE')
      const searching = range(60).map(() => owner.get(`${at}/search?q=anything`))
      const refused = await Promise.race(searching)
      expectRefusal(refused, 'tooManyRequests', { retryAfterSec: 5 })
      expect(refused.body).toMatchObject({ message: expect.stringContaining('searching') })
      await lock.query('ROLLBACK')
      const statuses = (await Promise.all(searching)).map(({ status }) => status)
      expect(new Set(statuses)).toEqual(new Set([200, 429]))
      expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(40)
    } finally {
      await lock.end()
    }
  })
})

interface Inserted {
  readonly id: string
  readonly roomId: string
  readonly authorId: string
  readonly text: string
}

function range(length: number): number[] {
  return Array.from({ length }, (_, n) => n)
}

/** Messages from this many minutes ago, oldest first. */
async function insert(
  server: TestServer,
  minutesAgo: readonly number[],
  messageOf: (n: number) => Omit<Inserted, 'id'>,
): Promise<Inserted[]> {
  const now = Date.now()
  const messages = minutesAgo
    .map((minutes, n) => ({ id: idAt(now - minutes * 60_000), ...messageOf(n) }))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const rows = JSON.stringify(messages).replaceAll("'", "''")
  await queryDatabaseOf(
    server,
    `INSERT INTO messages (id, channel_id, room_id, author_id, text, created_at)
    SELECT m.id, r.channel_id, r.id, m."authorId", m.text, now()
    FROM json_to_recordset('${rows}') AS m (id uuid, "roomId" uuid, "authorId" uuid, text text)
    JOIN rooms r ON r.id = m."roomId"`,
  )
  return messages
}

async function allPages(person: Person, at: string, q: string, more = ''): Promise<string[]> {
  const ids: string[] = []
  let page = await search(person, at, q, more)
  for (;;) {
    ids.push(...page.hits.map(({ message }) => message.id))
    if (page.nextBeforeId === null) return ids
    page = await search(person, at, q, `${more}&beforeId=${page.nextBeforeId}`)
  }
}
