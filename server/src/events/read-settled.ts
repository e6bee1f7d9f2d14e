import { setTimeout as sleep } from 'node:timers/promises'
import type { ClientBase, Pool } from 'pg'
import { EVENTS_LOCK } from './emit-event.ts'

/** What only certain bots receive in addition: by the id of the bot, further fields of the event’s data. */
export type ForBots = Readonly<Record<string, object>>

export interface LoggedEvent {
  readonly seq: number
  readonly channelId: string
  readonly roomId: string | null
  readonly actorId: string | null
  readonly event: string
  /** `opt_in`: bots that ask for the kind, and nobody else. */
  readonly audience: 'bots' | 'portal' | 'opt_in'
  readonly botReaders: readonly string[] | null
  readonly body: string
  /** What portals receive in addition to the body. */
  readonly shown: string | null
  readonly forBots?: ForBots | null
  readonly createdAt: string
}

/** Events in order. No event with a position up to `top` can appear later. */
export interface Settled {
  readonly events: readonly LoggedEvent[]
  readonly top: number
  /** There may be later events already. */
  readonly more: boolean
}

const BATCH = 1000

const COLUMNS = `seq, channel_id AS "channelId", room_id AS "roomId", actor_id AS "actorId", event, audience,
  bot_readers AS "botReaders", body, shown, for_bots AS "forBots", created_at AS "createdAt"`

const READ = {
  name: 'events_after',
  text: `SELECT ${COLUMNS} FROM events WHERE seq > $1 ORDER BY seq LIMIT ${BATCH}`,
}

/** One index scan for a channel: otherwise the events of all others might be read. */
const READ_OF_CHANNELS = {
  name: 'events_of_channels_after',
  text: `SELECT e.* FROM unnest($1::uuid[]) AS channels (id) CROSS JOIN LATERAL (
      SELECT ${COLUMNS} FROM events WHERE channel_id = ANY (ARRAY[channels.id]) AND seq > $2
      ORDER BY channel_id, seq LIMIT ${BATCH}
    ) e LIMIT ${BATCH}`,
}

const WRITERS = {
  name: 'event_writers',
  text: `SELECT virtualtransaction AS writer FROM pg_locks
    WHERE locktype = 'advisory' AND classid = ${EVENTS_LOCK}::oid AND objsubid = 2 AND granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
}

/**
 * The settled events after a position: no transaction that is still open can commit an event before them. Without a
 * position, only the end of the settled log is returned.
 */
export async function readSettled(pool: Pool | ClientBase, after: number | null): Promise<Settled> {
  if (after === null) return { events: [], top: await settledEnd(pool), more: false }
  const events = await read(pool, after)
  const consecutive = beforeGap(events, after)
  if (consecutive.length > 0 || events.length === 0) {
    const more = consecutive.length < events.length || events.length === BATCH
    return { events: consecutive, top: consecutive.at(-1)?.seq ?? after, more }
  }

  // The next position is missing: its transaction is open or was rolled back. Once every transaction that is open now
  // has ended, a position up to `seen` that is still missing will never appear.
  const seen = events.at(-1)?.seq ?? after
  await writersEnded(pool)
  const settled = (await read(pool, after)).filter(({ seq }) => seq <= seen)
  return { events: settled, top: seen, more: true }
}

/** The committed events of some channels after a position, in any order. Undefined if there are too many. */
export async function readOfChannels(
  pool: Pool,
  channelIds: readonly string[],
  after: number,
): Promise<readonly LoggedEvent[] | undefined> {
  const { rows } = await pool.query<LoggedEvent>({ ...READ_OF_CHANNELS, values: [channelIds, after] })
  return rows.length < BATCH ? rows : undefined
}

/** Of all that is committed, settled or not. */
export async function readLastPosition(pool: Pool | ClientBase): Promise<number> {
  const { rows } = await pool.query<{ top: number | null }>('SELECT max(seq) AS top FROM events')
  return rows[0]?.top ?? 0
}

async function settledEnd(pool: Pool | ClientBase): Promise<number> {
  const top = await readLastPosition(pool)
  await writersEnded(pool)
  return top
}

async function read(pool: Pool | ClientBase, after: number): Promise<LoggedEvent[]> {
  const { rows } = await pool.query<LoggedEvent>({ ...READ, values: [after] })
  return rows
}

/** The events up to the first missing position. */
function beforeGap(events: readonly LoggedEvent[], after: number): LoggedEvent[] {
  let expected = after
  const end = events.findIndex(({ seq }) => seq !== (expected += 1))
  return end === -1 ? [...events] : events.slice(0, end)
}

async function writersEnded(pool: Pool | ClientBase): Promise<void> {
  let waiting: ReadonlySet<string> | undefined
  for (let pause = 1; ; pause = Math.min(pause * 2, 50)) {
    const { rows } = await pool.query<{ writer: string }>(WRITERS)
    const now = new Set(rows.map(({ writer }) => writer))
    waiting = waiting ? waiting.intersection(now) : now
    if (waiting.size === 0) return
    await sleep(pause)
  }
}
