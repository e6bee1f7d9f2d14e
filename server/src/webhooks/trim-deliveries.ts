import { LIMITS } from '@portico/contract'
import type { Pool } from 'pg'
import { inBatches, TRIM_BATCH } from '../events/trim.ts'

/** Deletes an application's deliveries beyond the newest ones, or too old. Pending ones stay. */
const TRIM = `
  WITH edge AS (
    SELECT created_at, id FROM deliveries WHERE application_id = $1
    ORDER BY created_at DESC, id DESC OFFSET ${LIMITS.deliveriesKept} LIMIT 1
  ), old AS (
    (SELECT d.id FROM deliveries d, edge
      WHERE d.application_id = $1 AND (d.created_at, d.id) <= (edge.created_at, edge.id)
        AND d.state IN ('delivered', 'failed') LIMIT ${TRIM_BATCH})
    UNION
    (SELECT id FROM deliveries
      WHERE application_id = $1 AND created_at < now() - make_interval(secs => ${LIMITS.eventsKeptSeconds})
        AND state IN ('delivered', 'failed', 'held') LIMIT ${TRIM_BATCH})
  ), gone AS (DELETE FROM deliveries d USING old WHERE d.id = old.id RETURNING 1)
  SELECT count(*)::int AS trimmed FROM gone`

export async function trimDeliveries(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ id: string }>('SELECT id FROM applications ORDER BY id')
  for (const { id } of rows) await inBatches(pool, TRIM, [id])
}
