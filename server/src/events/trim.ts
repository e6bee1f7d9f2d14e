import { LIMITS } from '@portico/contract'
import type { Pool } from 'pg'
import { DELETE_BATCH, inBatches } from '../db/delete-in-batches.ts'

/**
 * Records how far each channel was trimmed, so that a reader with an older position can detect missing events. The newest
 * event is never removed: without it, a restart would not know where the log ends. Only the beginning of the log is read,
 * because events are in order of time.
 */
const TRIM_EVENTS = `
  WITH old AS (
    SELECT seq FROM (SELECT seq, created_at FROM events ORDER BY seq LIMIT ${DELETE_BATCH}) oldest
    WHERE created_at < now() - make_interval(secs => ${LIMITS.eventsKeptSeconds}) AND seq < (SELECT max(seq) FROM events)
  ), gone AS (
    DELETE FROM events e USING old WHERE e.seq = old.seq RETURNING e.channel_id, e.seq
  ), noted AS (
    INSERT INTO event_trims (channel_id, seq)
    SELECT g.channel_id, max(g.seq) FROM gone g JOIN channels c ON c.id = g.channel_id GROUP BY g.channel_id
    ON CONFLICT (channel_id) DO UPDATE SET seq = greatest(event_trims.seq, EXCLUDED.seq)
  )
  SELECT count(*)::int AS trimmed FROM gone`

export async function trimEvents(pool: Pool, stopping?: AbortSignal): Promise<void> {
  await inBatches({ stopping }, async () => {
    const { rows } = await pool.query<{ trimmed: number }>(TRIM_EVENTS)
    return rows[0]?.trimmed ?? 0
  })
}
