import { setTimeout as sleep } from 'node:timers/promises'
import type { OwnChannel, Room } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { Bot } from '../../test/bot.ts'
import { dataFolder } from '../../test/data-folder.ts'
import { testDatabase } from '../../test/database.ts'
import { eventually } from '../../test/eventually.ts'
import { freePort } from '../../test/free-port.ts'
import { webhookFixture } from '../../test/webhook-fixture.ts'
import { queryDatabase } from '../../test/query-database.ts'
import { Person } from '../../test/person.ts'
import { startPortico } from '../../test/portico-process.ts'
import { certificate, WebhookReceiver, textOf, type Reply } from '../../test/webhook-receiver.ts'
import { expectOk, portal } from '../../test/channel-fixture.ts'

/** Short at first; together long enough to outlast a short outage on a busy machine. */
const PAUSES = [...Array<number>(12).fill(0.3), ...Array<number>(4).fill(2), ...Array<number>(4).fill(12)].join(',')
const SETTINGS = { WEBHOOK_ALLOW_CIDR: '127.0.0.0/8', WEBHOOK_RETRY_PAUSES: PAUSES }
await portal(SETTINGS)

/** Starts and kills real server processes. */
const PATIENT = { timeout: 300_000 }

test(
  'a receiver that fails, hangs, is slow, disconnects, goes down and comes back receives everything',
  PATIENT,
  async () => {
    const { server, bot, receiver, say, newRoom, deliveries, webhook } = await webhookFixture({
      port: await freePort(),
    })
    const rooms = await Promise.all(Array.from({ length: 3 }, () => newRoom('text')))
    const { port } = receiver
    const slowly: Reply = (response) => sleep(150).then(() => response.writeHead(204).end())
    const halfway: Reply = (response) =>
      response.writeHead(500, { 'content-length': '9' }).write('x', () => response.destroy())
    const moods: Reply[] = [500, slowly, 'reset', 204, halfway, 'reset', 503, slowly, 204, 404]
    receiver.replies = [204, 'hang', ...moods, ...moods, ...moods, 204]

    const sent: string[] = []
    const send = async (sender: number, from: number, to: number): Promise<void> => {
      for (let number = from; number < to; number += 1) {
        const text = `${sender}/${number}`
        await say(text, rooms[number % rooms.length]?.id)
        sent.push(text)
      }
    }
    await Promise.all([0, 1, 2, 3].map((sender) => send(sender, 0, 12)))
    await receiver.until(() => receiver.replies.length === 1)
    await receiver.close()
    await Promise.all([0, 1, 2, 3].map((sender) => send(sender, 12, 16)))
    await eventually(async () => (await webhook())?.failedStreak).toBeGreaterThan(2)
    const back = await WebhookReceiver.start('127.0.0.1', port)
    await Promise.all([0, 1, 2, 3].map((sender) => send(sender, 16, 20)))

    await eventually(() => deliveries('?limit=100&state=delivered')).toHaveLength(sent.length)
    expect(new Set([...receiver.received, ...back.received].map(textOf))).toEqual(new Set(sent))
    const ids = new Map([...receiver.received, ...back.received].map((received) => [textOf(received), received.id]))
    for (const received of [...receiver.received, ...back.received]) expect(ids.get(textOf(received))).toBe(received.id)

    const { rows } = await server.services.database.pool.query<{ lane: string; at: string }>(
      `SELECT d.lane, a.at FROM deliveries d JOIN delivery_attempts a ON a.delivery_id = d.id AND a.number = 1
     WHERE d.application_id = $1 ORDER BY d.lane, d.seq`,
      [bot.application.id],
    )
    expect(rows).toHaveLength(sent.length)
    for (const { id } of rooms) {
      const times = rows.filter(({ lane }) => lane === id).map(({ at }) => at)
      expect(times).toEqual(times.toSorted())
    }
  },
)

describe('server processes on one database', PATIENT, () => {
  test('killed between commit and delivery, and during a retry, lose nothing and keep delivery ids', async () => {
    const { first, begin, say, receiver } = await programs()

    // One is in flight without a response, the others wait behind it; the last were just committed.
    receiver.replies = ['hang']
    await say('1')
    await receiver.first(1)
    for (const text of ['2', '3', '4']) await say(text)
    await Promise.all(['5', '6'].map((text) => say(text)))
    await first.stop('SIGKILL')

    // The same one again: it fails, and its retry is in flight at the next kill.
    const hung = Promise.withResolvers<void>()
    const moody: Reply = (response, { id }) => {
      const times = receiver.received.filter((received) => received.id === id && textOf(received) === '1').length
      if (times === 2) return response.writeHead(500).end()
      if (times === 3) return hung.resolve()
      return response.writeHead(204).end()
    }
    receiver.replies = [moody]
    const second = await begin()
    await hung.promise
    await say('7')
    await second.stop('SIGKILL')

    receiver.replies = [204]
    await begin()
    await say('8')
    await receiver.until(() => new Set(receiver.texts).size === 8)
    await receiver.until(() => receiver.received.filter((received) => textOf(received) === '1').length >= 4)
    expect(receiver.texts.filter((text) => !['5', '6'].includes(text))).toEqual(['1', '2', '3', '4', '7', '8'])
    const ids = new Set(receiver.received.map((received) => `${textOf(received)} ${received.id}`))
    expect(ids.size).toBe(8)
  })

  test('replaced one by the other, send each delivery once', async () => {
    const { first, begin, say, receiver, newRoom } = await programs()
    const rooms = await Promise.all([newRoom(), newRoom(), newRoom()])
    const texts = Array.from({ length: 60 }, (_, index) => `${index}`)
    const sayAll = async (some: readonly string[]): Promise<void> => {
      for (const text of some) await say(text, rooms[Number(text) % 3])
    }
    await sayAll(texts.slice(0, 30))
    // The next one starts before this one stops.
    const [second] = await Promise.all([begin(), first.stop()])
    await sayAll(texts.slice(30))
    await receiver.until(() => receiver.received.length >= texts.length)
    await second.stop()
    expect(receiver.received.map(textOf).toSorted()).toEqual(texts.toSorted())
  })

  test('killed during trimming, lose nothing else and know what was trimmed', async () => {
    const { first, begin, databaseUrl, channelId, applicationId, receiver, say } = await programs()
    await first.stop()
    const count = 40_000
    await queryDatabase(
      databaseUrl,
      `UPDATE events SET created_at = now() - interval '81 hours';
      INSERT INTO events (channel_id, event, audience, body, created_at)
      SELECT '${channelId}', 'message.created', 'portal', '{}', now() - interval '80 hours' FROM generate_series(1, ${count});
      INSERT INTO events (channel_id, event, audience, body, created_at)
      VALUES ('${channelId}', 'message.created', 'portal', '{"newest":true}', now());
      INSERT INTO deliveries (id, application_id, event, body, state, created_at)
      SELECT gen_random_uuid(), '${applicationId}', 'ping', '{}', 'delivered', now() - interval '80 hours'
      FROM generate_series(1, ${count});
      INSERT INTO deliveries (id, application_id, event, lane, body, state, next_attempt_at, created_at)
      VALUES (gen_random_uuid(), '${applicationId}', 'ping', NULL, '{"event":"ping","data":{}}', 'pending',
        now() + interval '1 second', now() - interval '80 hours')`,
    )
    const left = async (table: 'events' | 'deliveries'): Promise<number> => {
      const [row] = await queryDatabase(databaseUrl, `SELECT count(*)::int AS left FROM ${table} WHERE body = '{}'`)
      return Number(row?.['left'])
    }
    for (const table of ['events', 'deliveries'] as const) {
      const program = await begin()
      await eventually(() => left(table)).toBeLessThan(count)
      await program.stop('SIGKILL')
      const [trimmed] = await queryDatabase(
        databaseUrl,
        `SELECT t.seq::int AS seq, (SELECT min(seq)::int FROM events WHERE channel_id = t.channel_id AND body = '{}') AS first
        FROM event_trims t WHERE t.channel_id = '${channelId}'`,
      )
      const next = Number(trimmed?.['seq']) + 1
      expect(trimmed?.['first'] ?? next).toBe(next)
    }
    await begin()
    await eventually(async () => (await left('events')) + (await left('deliveries'))).toBe(0)
    await say('after all')
    await receiver.until(() => receiver.texts.includes('after all') && receiver.texts.includes('ping'))
  })
})

/** A portal served by several processes in turn, with a bot and its webhook receiver. */
async function programs() {
  const { url: databaseUrl } = await testDatabase()
  const { path } = await certificate()
  const common = { ...SETTINGS, DATABASE_URL: databaseUrl, PORTICO_SECRET: 's'.repeat(32), NODE_EXTRA_CA_CERTS: path }
  /** The process to send requests to; by default the last one started. */
  const server = { url: '' }
  const begin = async () => {
    const program = await startPortico({ ...common, PORTICO_DATA: await dataFolder() })
    server.url = program.url
    return program
  }
  const first = await begin()
  const owner = await new Person(server).setUp(/set-up\?code=(\w+)/.exec(first.output())?.[1] ?? '')
  const { id: channelId } = expectOk(await owner.post<OwnChannel>('/channels', { name: 'Ateliers', open: true }))
  const newRoom = async (): Promise<string> =>
    expectOk(await owner.post<Room>(`/channels/${channelId}/rooms`, { name: 'workshop', type: 'text' })).id
  const bot = await Bot.of(server, owner, 'Bot')
  expectOk(await owner.put(`/channels/${channelId}/applications/${bot.application.id}`, {}))
  const receiver = await WebhookReceiver.start()
  expectOk(await bot.put('/webhook', { url: receiver.url }))
  const room = await newRoom()
  const say = async (text: string, roomId = room) =>
    expectOk(await owner.post<{ id: string }>(`/rooms/${roomId}/messages`, { channelId, text }))
  return { first, begin, server, databaseUrl, channelId, applicationId: bot.application.id, receiver, newRoom, say }
}
