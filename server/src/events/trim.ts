import { LIMITS } from '@portico/contract'
import type { Pool } from 'pg'

const BATCH = 5000

/**
 * Notes how far each channel was trimmed, so that whoever asks from below knows that something is missing. The newest
 * event stays however old it is: without it, a restart would not know where the log ends. Only the beginning of the log
 * is looked at: events are in the order of their time.
 */
const TRIM_EVENTS = `
  WITH old AS (
    SELECT seq FROM (SELECT seq, created_at FROM events ORDER BY seq LIMIT ${BATCH}) oldest
    WHERE created_at < now() - make_interval(secs => ${LIMITS.eventsKeptSeconds}) AND seq < (SELECT max(seq) FROM events)
  ), gone AS (
    DELETE FROM events e USING old WHERE e.seq = old.seq RETURNING e.channel_id, e.seq
  ), noted AS (
    INSERT INTO event_trims (channel_id, seq)
    SELECT g.channel_id, max(g.seq) FROM gone g JOIN channels c ON c.id = g.channel_id GROUP BY g.channel_id
    ON CONFLICT (channel_id) DO UPDATE SET seq = greatest(event_trims.seq, EXCLUDED.seq)
  )
  SELECT count(*)::int AS trimmed FROM gone`

/** Of one application: what lies behind the newest ones, or is too old. What is still to be sent stays. */
const TRIM_DELIVERIES = `
  WITH edge AS (
    SELECT created_at, id FROM deliveries WHERE application_id = $1
    ORDER BY created_at DESC, id DESC OFFSET ${LIMITS.deliveriesKept} LIMIT 1
  ), old AS (
    (SELECT d.id FROM deliveries d, edge
      WHERE d.application_id = $1 AND (d.created_at, d.id) <= (edge.created_at, edge.id)
        AND d.state IN ('delivered', 'failed') LIMIT ${BATCH})
    UNION
    (SELECT id FROM deliveries
      WHERE application_id = $1 AND created_at < now() - make_interval(secs => ${LIMITS.eventsKeptSeconds})
        AND state IN ('delivered', 'failed', 'held') LIMIT ${BATCH})
  ), gone AS (DELETE FROM deliveries d USING old WHERE d.id = old.id RETURNING 1)
  SELECT count(*)::int AS trimmed FROM gone`

export async function trimEvents(pool: Pool): Promise<void> {
  await inBatches(pool, TRIM_EVENTS)
}

export async function trimDeliveries(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ id: string }>('SELECT id FROM applications ORDER BY id')
  for (const { id } of rows) await inBatches(pool, TRIM_DELIVERIES, [id])
}

/** Each batch is a statement of its own: nobody waits for it, and a crash in between costs nothing. */
async function inBatches(pool: Pool, text: string, values: readonly string[] = []): Promise<void> {
  let trimmed: number
  do {
    const { rows } = await pool.query<{ trimmed: number }>(text, [...values])
    trimmed = rows[0]?.trimmed ?? 0
  } while (trimmed >= BATCH)
}
