import type { Message } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { channelFixture, expectOk } from '../channel-fixture.ts'
import { manyMembers } from '../many-members.ts'
import { costOf } from './plan-cost.ts'
import { recordStatements, type RecordedStatement } from './recorded-statements.ts'
import { analyze, fill, insertRooms, stopAutovacuum, type Place, type Shape, type World } from './shapes.ts'
import { queryDatabaseOf } from '../query-database.ts'
import { Stream } from '../stream.ts'

/** A page of anything is far below both; reading the messages of a shape one by one is far above. */
const MOST_ROWS = 2000
const MOST_PAGES = 1000

/** Statements that may read more, with the reason. */
const LARGER: readonly {
  readonly statement: RegExp
  readonly rows?: number
  readonly pages?: number
  readonly because: string
}[] = [
  { statement: /WITH met AS MATERIALIZED/, rows: 20_000, because: 'search reads what matches in a step of time' },
  { statement: /AS "lastMessageId"/, pages: 4000, because: 'a few index lookups for each of 160 rooms' },
  { statement: /AS found\n/, pages: 2500, because: 'counts the members that were found, up to a constant number' },
  { statement: /END AS "memberCount"/, rows: 4000, because: 'counts the members of roles within an index' },
]

const { owner, people, bots, server, room, channel, newRoom } = await channelFixture({ people: 1, bots: 1 })
const [person] = people
const [bot] = bots
const empty = await newRoom('text')
const elsewhere = await channelFixture({ bots: 1 })
expectOk(await person.post(`${elsewhere.at}/join`))
expectOk(await owner.post(`${elsewhere.at}/join`))
const busyRoomIds = await insertRooms(server, elsewhere.channel.id, 160)
const world: World = {
  server,
  quiet: { channelId: channel.id, roomId: room.id },
  busyChannelId: elsewhere.channel.id,
  busyRoomIds,
  personId: person.id,
  quietApplicationId: bot.application.id,
  busyApplicationId: elsewhere.bots[0].application.id,
}
await manyMembers(server, channel.id, 300)
await manyMembers(server, elsewhere.channel.id, 3000)
await stopAutovacuum(world)

/** The largest room of the second channel, a quiet one and an empty one. */
const places: readonly Place[] = [
  world.quiet,
  { channelId: channel.id, roomId: empty.id },
  { channelId: elsewhere.channel.id, roomId: busyRoomIds[0]! },
]
const shapes: readonly Shape[] = [
  ...[4, 10, 20, 40, 80, 160].map((rooms): Shape => ({ rooms, times: 'separate' })),
  ...[4, 40].map((rooms): Shape => ({ rooms, times: 'overlapping' })),
]

let statements: readonly RecordedStatement[] = []

describe('Every statement of a request', () => {
  test('is recorded', async () => {
    await fill(world, shapes[0]!)
    statements = await recordStatements(async () => {
      for (const place of places) await use(place)
    })
    // The statements run again after their deadlines.
    await queryDatabaseOf(
      server,
      `CREATE OR REPLACE FUNCTION require_in_time(deadline timestamptz) RETURNS timestamptz LANGUAGE sql AS
      'SELECT clock_timestamp()'`,
    )
    const all = statements.map(({ text }) => text).join()
    for (const table of ['messages', 'events', 'deliveries', 'members', 'reactions', 'audit_log']) {
      expect(all).toContain(table)
    }
  })

  test.each(shapes)(
    'reads few rows with $rooms rooms that were busy at $times times, before and after ANALYZE',
    async (shape) => {
      await fill(world, shape)
      expect(await costlyStatements()).toEqual([])
      await analyze(world)
      expect(await costlyStatements()).toEqual([])
    },
  )
})

async function costlyStatements(): Promise<string[]> {
  // With the settings of the server.
  const client = await server.services.database.pool.connect()
  try {
    const costly: string[] = []
    for (const statement of statements) {
      const cost = await costOf(client, statement)
      const { rows = MOST_ROWS, pages = MOST_PAGES } =
        LARGER.find((larger) => larger.statement.test(statement.text)) ?? {}
      if (cost && (cost.rows > rows || cost.pages > pages)) {
        costly.push(`${cost.rows} rows, ${cost.pages} pages, ${cost.largest}:\n${statement.text.trim()}`)
      }
    }
    return costly
  } finally {
    client.release()
  }
}

/** What people and bots do in a room. */
async function use({ channelId, roomId }: Place): Promise<void> {
  const at = `/rooms/${roomId}`
  const inChannel = `channelId=${channelId}`
  const [middle] = await queryDatabaseOf(
    server,
    `SELECT id::text AS cursor FROM messages WHERE room_id = '${roomId}' ORDER BY id OFFSET 300 LIMIT 1`,
  )
  const cursor = typeof middle?.['cursor'] === 'string' ? middle['cursor'] : ''
  const isQuiet = channelId === channel.id
  const reader = isQuiet ? bot : elsewhere.bots[0]
  const host = isQuiet ? owner : elsewhere.owner

  expectOk(await reader.get(`${at}/messages?${inChannel}`))
  expectOk(await person.get(`${at}/history?${inChannel}`))
  expectOk(await person.get(`${at}/messages?${inChannel}`))
  if (cursor !== '') {
    expectOk(await reader.get(`${at}/messages?${inChannel}&beforeId=${cursor}&limit=100`))
    for (const side of ['beforeId', 'afterId', 'aroundId']) {
      expectOk(await person.get(`${at}/history?${inChannel}&${side}=${cursor}`))
    }
    expectOk(await person.put(`${at}/unread`, { channelId, messageId: cursor }))
    expectOk(await person.put(`${at}/read`, { channelId, messageId: cursor }))
  }
  const stream = await Stream.of(server, reader)
  expectOk(await person.get(`/room-page?${inChannel}&roomId=${roomId}`))
  expectOk(await person.get('/read-states'))
  expectOk(await person.get(`${at}/pins?${inChannel}`))
  const { id } = expectOk(await person.post<Message>(`${at}/messages`, { channelId, text: `for <@${host.id}>` }))
  const message = `${at}/messages/${id}`
  expectOk(await reader.post(`${at}/messages`, { channelId, text: 'a reply', replyToId: id }))
  expectOk(await person.patch(message, { channelId, text: 'changed' }))
  expectOk(await host.post(`${message}/reactions`, { channelId, emoji: '🎉' }))
  expectOk(await person.get(`${message}/reactions?${inChannel}&emoji=${encodeURIComponent('🎉')}`))
  expectOk(await host.delete(`${message}/reactions`, { channelId, emoji: '🎉' }))
  expectOk(await host.post(`${message}/pin`, { channelId }))
  expectOk(await host.delete(`${message}/pin`, { channelId }))
  expectOk(await person.put(`${at}/read`, { channelId }))
  expectOk(await person.put(`/channels/${channelId}/read`))
  expectOk(await person.delete(message, { channelId }))
  for (const query of [
    'q=harbour',
    'q="crate harbour"',
    `q=harbour&roomId=${roomId}`,
    `q=harbour&authorId=${host.id}`,
  ]) {
    expectOk(await person.get(`/channels/${channelId}/search?${query}`))
  }
  for (const page of ['members', 'members/by-name', 'members/search?text=many', 'invitations', 'audit-log', 'bans']) {
    expectOk(await host.get(`/channels/${channelId}/${page}`))
  }
  for (const page of ['rooms', 'roles', 'permissions', 'first-steps', 'commands', `members/${person.id}`]) {
    expectOk(await host.get(`/channels/${channelId}/${page}`))
  }
  expectOk(await reader.get('/me'))
  expectOk(await reader.get(`/channels/${channelId}/members`))
  expectOk(await host.get(`/applications/${reader.application.id}/deliveries`))
  expectOk(await person.get('/channels'))
  stream.cut()
  await stream.until(() => stream.subscriptions.length > 1)
  stream.client.disconnect()
}
