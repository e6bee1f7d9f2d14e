import type { Pool } from 'pg'
import { batchResults } from '../db/batch.ts'
import type { DueDelivery } from './due-deliveries.ts'

/** The current body, URL and secret of a delivery: the text of a message may have been deleted meanwhile. */
export interface DeliveryTarget {
  readonly body: string
  readonly url: string
  readonly secret: Buffer
}

const MOST_TOGETHER = 200

const READ_TARGETS = `
  SELECT d.id, d.attempts, d.body, w.url, w.secret FROM deliveries d
  JOIN webhooks w ON w.application_id = d.application_id AND w.active AND w.leased_by = $2::uuid
  WHERE d.id = ANY ($1::uuid[]) AND d.state = 'pending'`

/**
 * Reads the target just before an attempt, because the delivery was found due some time ago. Undefined if it must not be
 * sent: attempted or given up elsewhere, the webhook off or removed, or the lease lost.
 */
export function deliveryTargetOf(
  pool: Pool,
  worker: string,
): (delivery: DueDelivery) => Promise<DeliveryTarget | undefined> {
  return batchResults(MOST_TOGETHER, async (deliveries: readonly DueDelivery[]) => {
    const { rows } = await pool.query<DeliveryTarget & { id: string; attempts: number }>({
      name: 'delivery_targets',
      text: READ_TARGETS,
      values: [deliveries.map(({ id }) => id), worker],
    })
    const found = new Map(rows.map((row) => [row.id, row]))
    return deliveries.map(({ id, attempts }) => {
      const target = found.get(id)
      return target?.attempts === attempts ? target : undefined
    })
  })
}
