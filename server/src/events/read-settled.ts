import { setTimeout as sleep } from 'node:timers/promises'
import type { ClientBase, Pool } from 'pg'
import { EVENTS_LOCK } from './emit-event.ts'

export interface LoggedEvent {
  readonly seq: number
  readonly channelId: string
  readonly roomId: string | null
  readonly actorId: string | null
  readonly event: string
  readonly audience: 'bots' | 'portal'
  readonly botReaders: readonly string[] | null
  readonly body: string
  /** What portals receive in addition to the body. */
  readonly shown: string | null
  readonly createdAt: string
}

/** Events in their order, up to a position behind which nothing earlier can come. */
export interface Settled {
  readonly events: readonly LoggedEvent[]
  readonly top: number
  /** There may be others already. */
  readonly more: boolean
}

const BATCH = 1000

const READ = {
  name: 'events_after',
  text: `SELECT seq, channel_id AS "channelId", room_id AS "roomId", actor_id AS "actorId", event, audience,
      bot_readers AS "botReaders", body, shown, created_at AS "createdAt"
    FROM events WHERE seq > $1 ORDER BY seq LIMIT ${BATCH}`,
}

const WRITERS = {
  name: 'event_writers',
  text: `SELECT virtualtransaction AS writer FROM pg_locks
    WHERE locktype = 'advisory' AND classid = ${EVENTS_LOCK}::oid AND objsubid = 2 AND granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
}

/**
 * The events after a position, as far as they are settled: nothing earlier can still be committed behind them. With no
 * position, only the settled end of the log is told.
 */
export async function readSettled(pool: Pool | ClientBase, after: number | null): Promise<Settled> {
  if (after === null) return { events: [], top: await settledEnd(pool), more: false }
  const events = await read(pool, after)
  const whole = unbroken(events, after)
  if (whole.length > 0 || events.length === 0) {
    const more = whole.length < events.length || events.length === BATCH
    return { events: whole, top: whole.at(-1)?.seq ?? after, more }
  }

  // The next position is missing: its writer is under way, or was rolled back. Once every writer that was under way
  // has ended, what is still missing up to what we have seen will never come.
  const seen = events.at(-1)?.seq ?? after
  await writersEnded(pool)
  const settled = (await read(pool, after)).filter(({ seq }) => seq <= seen)
  return { events: settled, top: seen, more: true }
}

async function settledEnd(pool: Pool | ClientBase): Promise<number> {
  const { rows } = await pool.query<{ top: number | null }>('SELECT max(seq) AS top FROM events')
  const top = rows[0]?.top ?? 0
  await writersEnded(pool)
  return top
}

async function read(pool: Pool | ClientBase, after: number): Promise<LoggedEvent[]> {
  const { rows } = await pool.query<LoggedEvent>({ ...READ, values: [after] })
  return rows
}

function unbroken(events: readonly LoggedEvent[], after: number): LoggedEvent[] {
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
