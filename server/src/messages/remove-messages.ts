import { removeInBackground } from '../operations/remove-in-background.ts'
import type { Services } from '../operations/services.ts'

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
      SELECT id FROM messages WHERE room_id = ANY (ARRAY[room.room_id]) ORDER BY room_id LIMIT ${BATCH}
    ) m
  ), removed AS (
    DELETE FROM messages WHERE id IN (SELECT id FROM batch) RETURNING id
  ), finished AS (
    DELETE FROM message_removals WHERE room_id IN (SELECT room_id FROM room) AND NOT EXISTS (SELECT FROM batch)
  )
  SELECT EXISTS (SELECT FROM room) AS more, (SELECT count(*) FROM removed)`

/** Removes the messages of deleted rooms. */
export function startRemovingMessages(services: Pick<Services, 'database' | 'log'>): () => Promise<void> {
  return removeInBackground(services, 'messages of deleted rooms', async () => {
    const { rows } = await services.database.pool.query<{ more: boolean }>(REMOVE)
    return { more: rows[0]?.more ?? false }
  })
}
