import { randomInt, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { OwnChannel, Room } from '@portico/contract'
import { Client, Pool } from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Bot } from '../../test/bot.ts'
import { dataFolder } from '../../test/data-folder.ts'
import { testDatabase } from '../../test/database.ts'
import { expectOk } from '../../test/expect-ok.ts'
import { freePort } from '../../test/free-port.ts'
import { isFullRun } from '../../test/full-run.ts'
import { Person } from '../../test/person.ts'
import { launch } from '../../test/portico-process.ts'
import { preparedDataFolder } from '../../test/prepared-data-folder.ts'
import { Stream } from '../../test/stream.ts'
import { findClusters } from '../db/embedded/place.ts'
import { findPostmaster } from '../db/embedded/postmaster.ts'
import { EVENTS_LOCK } from '../events/emit-event.ts'

/** Each takes a start of the server and its database. */
const KILLS = Number(process.env['PORTICO_TEST_ROUNDS'] ?? (isFullRun ? 10 : 3))
const CUTS = 10 * KILLS
/** Each takes a start, and two batches of a trim. */
const KILLS_DURING_TRIM = 4
const SENDERS = 5
const ROOMS = 3
/** The test's cuts make the client recover more often than the limit allows. */
const LIFTED = { RATE_LIMIT_FACTOR: '1000' }
/** The minimum number of messages to send. */
const LEAST_SENT = 50 * KILLS

const appendMany = `
  INSERT INTO events (channel_id, event, audience, body, created_at)
  SELECT $1::uuid, 'channel.changed', 'portal', json_build_object('event', 'channel.changed', 'timestamp', iso_time(now()),
    'channelId', $1::uuid, 'data', json_build_object('subject', 'room'))::text, now() FROM generate_series(1, $2)`

/** The server in its own process, always at the same address, with a channel, rooms and bots. */
async function village(given: Record<string, string>, wish: { rooms: number; bots: number }) {
  const settings = { HOST: '127.0.0.1', PORT: String(await freePort()), LOG_LEVEL: 'error', ...LIFTED, ...given }
  let running = launch(['start'], settings)
  const served = () => running.said(/Portal +(http\S+)/)
  const url = await served()
  const owner = await new Person({ url }).setUp(await running.said(/set-up\?code=(\w+)/))
  const channel = expectOk(await owner.post<OwnChannel>('/channels', { name: 'Village', open: true }))
  const at = `/channels/${channel.id}`
  const rooms: Room[] = []
  for (const index of Array(wish.rooms).keys()) {
    rooms.push(expectOk(await owner.post<Room>(`${at}/rooms`, { name: `square ${index}`, type: 'text' })))
  }
  const bots: Bot[] = []
  for (const index of Array(wish.bots).keys()) {
    const bot = await Bot.of({ url }, owner, `Villager ${index}`)
    const lifted = { requests: 1_000_000, writes: 1_000_000 }
    expectOk(await owner.put(`/applications/${bot.application.id}/limits`, lifted))
    expectOk(await owner.put(`${at}/applications/${bot.application.id}`, {}))
    bots.push(bot)
  }
  return {
    url,
    owner,
    channel,
    rooms,
    bots,
    kill: () => running.stop('SIGKILL'),
    start: async () => {
      running = launch(['start'], settings)
      await served()
    },
  }
}

const textOf = ({ envelope }: Stream['received'][number]): string => (envelope.data['message'] as { text: string }).text

// The timeout only catches a hang: on a busy machine each of the many restarts takes a minute.
describe('chaos', { timeout: 1_800_000 }, () => {
  test(`every acknowledged message reaches a bot through ${CUTS} cuts and ${KILLS} kills, in order and never twice in a session`, async () => {
    const data = await preparedDataFolder()
    const { url, channel, rooms, bots, kill, start } = await village(
      { PORTICO_DATA: data },
      { rooms: ROOMS, bots: SENDERS + 1 },
    )
    const [listener, ...senders] = bots
    if (!listener) throw new Error('there is no bot')
    const stream = await Stream.of({ url }, listener)

    const over = new AbortController()
    let total = 0
    const acknowledged = Promise.all(
      senders.map(async (sender, who) => {
        const sent: string[] = []
        for (let count = 0; !over.signal.aborted || total < LEAST_SENT; count += 1) {
          const pace = sleep(1000 / 20)
          const room = rooms[(who + count) % rooms.length]?.id ?? ''
          const text = `${room} ${who} ${count}`
          const headers = { 'idempotency-key': randomUUID() }
          // Retries the same message until it is acknowledged.
          while (!(await isSent(sender, room, { channelId: channel.id, text }, headers))) await sleep(50)
          sent.push(text)
          total += 1
          await pace
        }
        return sent
      }),
    )

    let cuts = 0
    let subscribed = 0
    for (let kills = 0; kills < KILLS; kills += 1) {
      while (cuts < ((kills + 1) * CUTS) / KILLS) {
        // Waits as long as needed: a cut before the client has reconnected would cut nothing.
        await stream.until(() => stream.subscriptions.length > subscribed)
        subscribed = stream.subscriptions.length
        await sleep(randomInt(20, 250))
        stream.cut()
        cuts += 1
      }
      const postmaster = await postmasterOf(data)
      const killed = kill()
      // Every other time the database is killed too.
      if (kills % 2 === 0) process.kill(postmaster, 'SIGKILL')
      await killed
      await start()
    }
    over.abort()
    const sent = await acknowledged
    await stream.until(() => new Set(stream.received.map(textOf)).isSupersetOf(new Set(sent.flat())))

    expect(stream.subscriptions.slice(1).every(({ wasRecovering, recovered }) => wasRecovering && recovered)).toBe(true)
    expect(stream.subscriptions.length).toBeGreaterThanOrEqual(CUTS)
    const offsets = stream.received.map(({ offset }) => offset)
    // The client recovers from its last position, so nothing arrives twice even across sessions.
    expect(offsets).toEqual([...new Set(offsets)].toSorted((a, b) => a - b))
    const texts = stream.received.map(textOf)
    expect(texts).toHaveLength(sent.flat().length)
    for (const [who, own] of sent.entries()) {
      for (const { id } of rooms) {
        const fromSender = (text: string) => text.startsWith(`${id} ${who} `)
        expect(texts.filter(fromSender)).toEqual(own.filter(fromSender))
      }
    }
  })

  test('a kill between commit and delivery loses nothing', async () => {
    const { url: DATABASE_URL } = await testDatabase()
    const settings = { PORTICO_DATA: await dataFolder(), DATABASE_URL }
    const { url, owner, channel, rooms, bots, kill, start } = await village(settings, { rooms: 1, bots: 1 })
    const [bot] = bots
    if (!bot) throw new Error('there is no bot')
    const stream = await Stream.of({ url }, bot)
    const say = async (text: string) => {
      expectOk(await owner.post(`/rooms/${rooms[0]?.id}/messages`, { channelId: channel.id, text }))
    }
    await say('before')
    await stream.first(1)

    // Events after an uncommitted earlier position wait for delivery.
    const hanging = new Client({ connectionString: DATABASE_URL })
    await hanging.connect()
    onTestFinished(() => hanging.end())
    await hanging.query('BEGIN')
    // A lock that belongs to no channel: it is held like that of a writer, and no one waits for it.
    await hanging.query('SELECT pg_advisory_xact_lock($1, 1024)', [EVENTS_LOCK])
    await hanging.query(appendMany, [channel.id, 1])
    const texts = Array.from({ length: 20 }, (_, index) => `committed ${index}`)
    for (const text of texts) await say(text)
    expect(stream.received).toHaveLength(1)
    await kill()
    await hanging.query('COMMIT')
    await start()
    await stream.first(21)
    expect(stream.received.map(textOf)).toEqual(['before', ...texts])
    expect(stream.subscriptions[1]).toMatchObject({ wasRecovering: true, recovered: true })
  })

  test('kills during trimming lose no retained event, and clients learn what they missed', async () => {
    const { url: DATABASE_URL } = await testDatabase()
    const settings = { PORTICO_DATA: await dataFolder(), DATABASE_URL }
    const { url, owner, channel, rooms, bots, kill, start } = await village(settings, { rooms: 1, bots: 2 })
    const [early, late] = bots
    if (!early || !late) throw new Error('there are no bots')
    const roomId = rooms[0]?.id ?? ''
    const [tooOld, recent] = [await Stream.of({ url }, early), await Stream.of({ url }, late)]
    const say = async (text: string) => {
      expectOk(await owner.post(`/rooms/${roomId}/messages`, { channelId: channel.id, text }))
    }
    await say('old')
    await Promise.all([tooOld.first(1), recent.first(1)])
    tooOld.client.disconnect()

    const pool = new Pool({ connectionString: DATABASE_URL, max: 2 })
    onTestFinished(() => pool.end())
    // In batches of 5,000, the size of a trim.
    for (let batch = 0; batch < 2 * KILLS_DURING_TRIM + 4; batch += 1) await pool.query(appendMany, [channel.id, 5000])
    await say('seen')
    await recent.first(2)
    recent.client.disconnect()
    await pool.query(`UPDATE events SET created_at = '2020-01-01T00:00:00Z'`)
    for (const text of ['kept', 'kept too']) await say(text)

    const old = async (): Promise<number> => {
      const { rows } = await pool.query<{ old: number }>(
        `SELECT count(*)::int AS old FROM events WHERE created_at < now() - interval '1 year'`,
      )
      return rows[0]?.old ?? 0
    }
    const isTrimming = async (): Promise<boolean> => {
      const { rows } = await pool.query<{ trimming: boolean }>(
        `SELECT EXISTS (SELECT FROM pg_stat_activity
          WHERE datname = current_database() AND state = 'active' AND query LIKE '%DELETE FROM events%'
            AND pid <> pg_backend_pid()) AS trimming`,
      )
      return rows[0]?.trimming ?? false
    }
    await kill()
    for (let kills = 0; kills < KILLS_DURING_TRIM; kills += 1) {
      // The second batch waits for this row: the kill comes after the first batch, in the middle of the second.
      const holding = await pool.connect()
      await holding.query('BEGIN')
      await holding.query(
        'SELECT FROM events WHERE seq = (SELECT seq FROM events ORDER BY seq OFFSET 7500 LIMIT 1) FOR UPDATE',
      )
      const before = await old()
      const started = start().catch(() => {})
      while ((await old()) === before) await sleep(5)
      await kill()
      await started
      expect(await old()).toBeGreaterThan(0)
      await holding.query('COMMIT')
      holding.release()
      // The killed process's last statement still runs in the database and now continues.
      while (await isTrimming()) await sleep(5)
      const { rows } = await pool.query<{ hidden: number }>(
        // Every missing event is at or below the recorded position.
        `SELECT count(*)::int AS hidden FROM event_trims t
        WHERE t.channel_id = $1 AND t.seq < (SELECT min(seq) - 1 FROM events WHERE channel_id = $1)`,
        [channel.id],
      )
      expect(rows[0]?.hidden).toBe(0)
    }
    await start()
    while ((await old()) > 0) await sleep(20)
    for (const stream of [tooOld, recent]) stream.client.connect()
    await recent.first(4)
    expect(recent.received.map(textOf)).toEqual(['old', 'seen', 'kept', 'kept too'])
    expect(recent.subscriptions.at(-1)).toMatchObject({ wasRecovering: true, recovered: true })
    await tooOld.until(() => tooOld.subscriptions.length > 1)
    expect(tooOld.subscriptions.at(-1)).toMatchObject({ wasRecovering: true, recovered: false })
  })
})

async function isSent(sender: Bot, roomId: string, body: object, headers: Record<string, string>): Promise<boolean> {
  try {
    return (await sender.post(`/rooms/${roomId}/messages`, body, headers)).status === 201
  } catch {
    return false
  }
}

async function postmasterOf(data: string): Promise<number> {
  for (const { path } of await findClusters(data)) {
    const postmaster = await findPostmaster(path)
    if (postmaster) return postmaster.pid
  }
  throw new Error('there is no database')
}
