import type { Pool } from 'pg'
import type { Services } from '../operations/services.ts'

const MINUTE = 60_000
const BATCH = 1000

/**
 * Picks a deleted room that no other process works on and removes a batch of its messages; the room's row goes when none
 * is left. One statement: a crash loses nothing, and no one waits for it.
 */
const REMOVE = `
  WITH room AS (
    SELECT room_id FROM message_removals LIMIT 1 FOR UPDATE SKIP LOCKED
  ), batch AS (
    SELECT m.id FROM room CROSS JOIN LATERAL (
      SELECT id FROM messages WHERE room_id = room.room_id LIMIT ${BATCH}
    ) m
  ), removed AS (
    DELETE FROM messages WHERE id IN (SELECT id FROM batch) RETURNING id
  ), finished AS (
    DELETE FROM message_removals WHERE room_id IN (SELECT room_id FROM room) AND NOT EXISTS (SELECT FROM batch)
  )
  SELECT EXISTS (SELECT FROM room) AS more, (SELECT count(*) FROM removed)`

/** Removes the messages of deleted rooms, now and every minute. Returns a function that stops it. */
export function startRemovingMessages({
  database: { pool },
  log,
}: Pick<Services, 'database' | 'log'>): () => Promise<void> {
  const stopping = new AbortController()
  let removing: Promise<void> | undefined
  const remove = () => {
    removing ??= removeMessages(pool, stopping.signal)
      .catch((error: unknown) => log.error({ err: error }, 'removing messages of deleted rooms failed'))
      .finally(() => (removing = undefined))
  }
  const timer = setInterval(remove, MINUTE)
  timer.unref()
  remove()
  return async () => {
    clearInterval(timer)
    stopping.abort()
    await removing
  }
}

/** Continues until no deleted room has messages left. */
async function removeMessages(pool: Pool, stopping: AbortSignal): Promise<void> {
  for (;;) {
    const { rows } = await pool.query<{ more: boolean }>(REMOVE)
    if (!rows[0]?.more || stopping.aborted) return
  }
}
