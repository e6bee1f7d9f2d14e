import { channelChanged } from '@portico/contract'
import { Client } from 'pg'
import { onTestFinished } from 'vitest'
import { columnParsers } from '../src/db/column-parsers.ts'
import { openDatabase } from '../src/db/open-database.ts'
import { appendEvent, appendOne, loggedEvent, newEvent, type Appended } from '../src/events/emit-event.ts'
import { EventFanOut } from '../src/events/event-fan-out.ts'
import { EventLog } from '../src/events/event-log.ts'
import { MessageMac } from '../src/redis/message-mac.ts'
import type { Redis } from '../src/redis/redis.ts'
import { silentLog } from './silent-log.ts'

/** What all nodes of a test have in common. */
export const SECRET = { key: (purpose: string) => Buffer.from(purpose) }

/** A process that reads the log, and the events that it received. */
export async function reader(url: string, redis?: Redis) {
  const database = await openDatabase({ url, log: silentLog, poolSize: 4 })
  const log = new EventLog(
    database.pool,
    silentLog,
    redis && new EventFanOut({ redis, mac: new MessageMac(SECRET, 'fan-out') }, silentLog),
  )
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

/** A transaction that writes an event, as operations do, and ends when the test says so. */
export async function writer(url: string) {
  const client = new Client({ connectionString: url })
  // If it is terminated, the next statement fails.
  client.on('error', () => {})
  await client.connect()
  onTestFinished(() => client.end().catch(() => {}))
  return {
    client,
    async write(subject: string) {
      await client.query('BEGIN')
      const event = newEvent(null, channelChanged, { channelId: await newChannel(client) }, { subject })
      const { sql, parameters } = appendOne(appendEvent(event, null))
      const { rows } = await client.query<Appended>({ text: sql, values: [...parameters], types: columnParsers })
      return rows.map((row) => loggedEvent(event, row))
    },
    commit: () => client.query('COMMIT'),
    rollBack: () => client.query('ROLLBACK'),
  }
}
