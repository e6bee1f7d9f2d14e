import { LIMITS } from '@portico/contract'
import type { Pool } from 'pg'
import { DELETE_BATCH, inBatches } from '../db/delete-in-batches.ts'

/** Deletes an application's deliveries beyond the newest ones, or too old. Pending ones stay. */
const TRIM = `
  WITH edge AS (
    SELECT created_at, id FROM deliveries WHERE application_id = $1
    ORDER BY created_at DESC, id DESC OFFSET ${LIMITS.deliveriesKept} LIMIT 1
  ), old AS (
    SELECT id FROM (
      (SELECT d.id FROM deliveries d, edge
        WHERE d.application_id = $1 AND (d.created_at, d.id) <= (edge.created_at, edge.id)
          AND d.state IN ('delivered', 'failed') LIMIT ${DELETE_BATCH})
      UNION
      (SELECT id FROM deliveries
        WHERE application_id = $1 AND created_at < now() - make_interval(secs => ${LIMITS.eventsKeptSeconds})
          AND state IN ('delivered', 'failed', 'held') LIMIT ${DELETE_BATCH})
    ) found LIMIT ${DELETE_BATCH}
  ), gone AS (DELETE FROM deliveries d USING old WHERE d.id = old.id RETURNING 1)
  SELECT count(*)::int AS trimmed FROM gone`

export async function trimDeliveries(pool: Pool, stopping?: AbortSignal): Promise<void> {
  const applications = await pool.query<{ id: string }>('SELECT id FROM applications ORDER BY id')
  for (const { id } of applications.rows) {
    if (stopping?.aborted) return
    await inBatches({ stopping }, async () => {
      const { rows } = await pool.query<{ trimmed: number }>(TRIM, [id])
      return rows[0]?.trimmed ?? 0
    })
  }
}
