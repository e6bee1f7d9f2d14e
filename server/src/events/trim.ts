import { LIMITS } from '@portico/contract'
import type { Pool } from 'pg'

const BATCH = 5000

/**
 * Notes how far each channel was trimmed, so that whoever asks from below knows that something is missing. The newest
 * event stays however old it is: without it, a restart would not know where the log ends.
 */
const TRIM_EVENTS = `
  WITH old AS (
    SELECT seq FROM events WHERE created_at < now() - make_interval(secs => ${LIMITS.eventsKeptSeconds})
      AND seq < (SELECT max(seq) FROM events)
    ORDER BY seq LIMIT ${BATCH}
  ), gone AS (
    DELETE FROM events e USING old WHERE e.seq = old.seq RETURNING e.channel_id, e.seq
  ), noted AS (
    INSERT INTO event_trims (channel_id, seq)
    SELECT g.channel_id, max(g.seq) FROM gone g JOIN channels c ON c.id = g.channel_id GROUP BY g.channel_id
    ON CONFLICT (channel_id) DO UPDATE SET seq = greatest(event_trims.seq, EXCLUDED.seq)
  )
  SELECT count(*)::int AS trimmed FROM gone`

const TRIM_DELIVERIES = `
  WITH old AS (
    SELECT id FROM (
      SELECT id, state, created_at, row_number() OVER (PARTITION BY application_id ORDER BY created_at DESC, id DESC) AS place
      FROM deliveries
    ) d
    WHERE state IN ('delivered', 'failed') AND (place > ${LIMITS.deliveriesKept}
      OR created_at < now() - make_interval(secs => ${LIMITS.eventsKeptSeconds}))
      OR (state = 'held' AND created_at < now() - make_interval(secs => ${LIMITS.eventsKeptSeconds}))
    LIMIT ${BATCH}
  ), gone AS (DELETE FROM deliveries d USING old WHERE d.id = old.id RETURNING 1)
  SELECT count(*)::int AS trimmed FROM gone`

export async function trimEvents(pool: Pool): Promise<void> {
  await inBatches(pool, TRIM_EVENTS)
}

export async function trimDeliveries(pool: Pool): Promise<void> {
  await inBatches(pool, TRIM_DELIVERIES)
}

/** Each batch is a statement of its own: nobody waits for it, and a crash in between costs nothing. */
async function inBatches(pool: Pool, text: string): Promise<void> {
  let trimmed: number
  do {
    const { rows } = await pool.query<{ trimmed: number }>(text)
    trimmed = rows[0]?.trimmed ?? 0
  } while (trimmed === BATCH)
}
