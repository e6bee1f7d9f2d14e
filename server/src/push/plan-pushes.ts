import { messageCreated, type EventData } from '@portico/contract'
import type { Pool } from 'pg'
import type { LoggedEvent } from '../events/read-settled.ts'
import { peopleToNotify } from '../notifications/people-to-notify.ts'
import type { Services } from '../operations/services.ts'

const BATCH = 500
/** In seconds: what is older, such as after the server was off, is no news. */
const NEWS_FOR = 3600
/** In seconds: someone who has the room open marks the message as read within this time, and then nothing is sent. */
const READ_WITHIN = 2

const READ = {
  name: 'events_to_push',
  text: `SELECT seq, channel_id AS "channelId", room_id AS "roomId", actor_id AS "actorId", event, audience,
      bot_readers AS "botReaders", body, shown, created_at AS "createdAt"
    FROM events
    WHERE seq > $1 AND seq <= $2 AND event = '${messageCreated.event}' AND EXISTS (SELECT FROM push_subscriptions)
      AND created_at > now() - make_interval(secs => ${NEWS_FOR})
    ORDER BY seq LIMIT ${BATCH}`,
}

/**
 * Moves the cursor and adds what was planned up to there, in one statement: if another process has moved the cursor meanwhile,
 * nothing is added. A browser gets nothing from before it was subscribed. A message replaces an earlier one of its room that
 * waits, but an ordinary message doesn't replace one that mentions or answers the person.
 */
const ADD = {
  name: 'add_pushes',
  text: `
    WITH moved AS (UPDATE push_cursor SET seq = $2 WHERE seq = $1 RETURNING seq)
    INSERT INTO pushes (session_id, room_id, channel_id, message_id, seq, is_plain, next_attempt_at)
    SELECT s.session_id, n.room_id, n.channel_id, n.message_id, n.seq, n.is_plain,
      now() + make_interval(secs => ${READ_WITHIN})
    FROM moved
    CROSS JOIN json_to_recordset($3::json) AS n (account_id uuid, room_id uuid, channel_id uuid, message_id uuid, seq bigint,
      is_plain boolean, created_at timestamptz)
    JOIN push_subscriptions s ON s.account_id = n.account_id AND s.created_at < n.created_at
    ON CONFLICT (session_id, room_id) DO UPDATE SET message_id = excluded.message_id, seq = excluded.seq,
      is_plain = excluded.is_plain, attempts = 0, created_at = now(),
      next_attempt_at = CASE WHEN pushes.attempts = 0 THEN pushes.next_attempt_at ELSE excluded.next_attempt_at END
    WHERE pushes.is_plain OR NOT excluded.is_plain`,
}

interface Planned {
  readonly account_id: string
  readonly room_id: string | null
  readonly channel_id: string
  readonly message_id: string
  readonly seq: number
  readonly is_plain: boolean
  readonly created_at: string
}

/**
 * Turns a batch of messages up to a position into pushes, each once, whichever process does it. Returns whether there may be
 * more.
 */
export async function planPushes(services: Services, end: number): Promise<boolean> {
  const { pool } = services.database
  const cursor = await cursorOf(pool)
  if (cursor >= end) return false
  const { rows: events } = await pool.query<LoggedEvent>({ ...READ, values: [cursor, end] })
  const isFull = events.length === BATCH
  const upTo = (isFull && events.at(-1)?.seq) || end
  const people = await peopleToNotify(services, events)
  const planned = new Map<string, Planned>()
  for (const [position, event] of events.entries()) {
    for (const { accountId, reason } of people[position] ?? []) {
      const key = `${accountId} ${event.roomId}`
      const isPlain = reason === 'all'
      if (!isPlain || planned.get(key)?.is_plain !== false) planned.set(key, plannedOf(event, accountId, isPlain))
    }
  }
  await pool.query({ ...ADD, values: [cursor, upTo, JSON.stringify([...planned.values()])] })
  return isFull
}

async function cursorOf(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ seq: number }>({ name: 'push_cursor', text: 'SELECT seq FROM push_cursor' })
  return rows[0]?.seq ?? 0
}

function plannedOf(
  { seq, channelId, roomId, body, createdAt }: LoggedEvent,
  accountId: string,
  isPlain: boolean,
): Planned {
  const { message } = (JSON.parse(body) as { data: EventData<typeof messageCreated> }).data
  return {
    account_id: accountId,
    room_id: roomId,
    channel_id: channelId,
    message_id: message.id,
    seq,
    is_plain: isPlain,
    created_at: createdAt,
  }
}
