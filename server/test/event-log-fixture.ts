import { channelChanged } from '@portico/contract'
import { Client } from 'pg'
import { onTestFinished } from 'vitest'
import { columnParsers } from '../src/db/column-parsers.ts'
import { openDatabase } from '../src/db/open-database.ts'
import { appendEvent, appendOne, loggedEvent, newEvent, type Appended } from '../src/events/emit-event.ts'
import { EventFanOut } from '../src/events/event-fan-out.ts'
import { PositionTokens } from '../src/events/position-tokens.ts'
import { EventLog } from '../src/events/event-log.ts'
import { MessageMac } from '../src/redis/message-mac.ts'
import type { Redis } from '../src/redis/redis.ts'
import { silentLog } from './silent-log.ts'

/** What all nodes of a test have in common. */
export const SECRET = { key: (purpose: string) => Buffer.from(purpose) }

/** A process that reads the log, and the events that it received. */
export async function reader(url: string, redis?: Redis, linger?: number) {
  const database = await openDatabase({ url, log: silentLog, poolSize: 4 })
  const keys = { mac: new MessageMac(SECRET, 'fan-out'), tokens: new PositionTokens(SECRET, 'fan-out') }
  const fanOut = redis && new EventFanOut({ redis, ...keys }, silentLog)
  const log = new EventLog({ pool: database.pool, log: silentLog, fanOut, ...(linger !== undefined && { linger }) })
  await log.start()
  onTestFinished(async () => {
    await log.stop()
    await database.close()
  })
  const received: { seq: number; subject: string }[] = []
  log.listen((events) => {
    for (const { seq, body } of events) received.push({ seq, subject: subjectOf(body) })
  })
  return { log, pool: database.pool, received, subjects: () => received.map(({ subject }) => subject) }
}

const subjectOf = (body: string): string => (JSON.parse(body) as { data: { subject: string } }).data.subject

let channels = 0

/** A channel with its own event lock. */
async function newChannel(client: Client): Promise<string> {
  const { rows } = await client.query<{ id: string }>(
    `SELECT id FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, 50000)) ids WHERE event_lock(id) = $1 LIMIT 1`,
    [(channels += 1)],
  )
  return rows[0]!.id
}

/** A transaction that writes an event, as operations do, and ends when the test says so: each in a new channel, or all in one. */
export async function writer(url: string, { channelId }: { readonly channelId?: string } = {}) {
  const client = new Client({ connectionString: url })
  // If it is terminated, the next statement fails.
  client.on('error', () => {})
  await client.connect()
  onTestFinished(() => client.end().catch(() => {}))
  return {
    client,
    async write(subject: string) {
      await client.query('BEGIN')
      const place = { channelId: channelId ?? (await newChannel(client)) }
      const event = newEvent(null, channelChanged, place, { subject })
      const { sql, parameters } = appendOne(appendEvent(event, null))
      const { rows } = await client.query<Appended>({ text: sql, values: [...parameters], types: columnParsers })
      return rows.map((row) => loggedEvent(event, row))
    },
    commit: () => client.query('COMMIT'),
    rollBack: () => client.query('ROLLBACK'),
  }
}
