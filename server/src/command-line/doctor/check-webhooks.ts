import { sql } from 'kysely'
import type { Database } from '../../db/open-database.ts'
import { ok, warning, type Findings } from './finding.ts'

const WEBHOOKS = 'Webhooks'
const STUCK_AFTER = '5 minutes'

interface Ailing {
  readonly name: string
  readonly active: boolean
  readonly lastError: string | null
  readonly waiting: number
}

/** Webhooks with stuck deliveries, and webhooks that were turned off. */
export async function* checkWebhooks({ kysely, pool }: Database, inUse: boolean): Findings {
  const { rows: known } = await pool.query(`SELECT 1 WHERE to_regclass('webhooks') IS NOT NULL`)
  if (known.length === 0) return
  const { rows } = await sql<Ailing>`
    SELECT p.name, w.active, w.last_error AS "lastError", d.waiting
    FROM webhooks w
    JOIN applications p ON p.id = w.application_id
    CROSS JOIN LATERAL (
      SELECT count(*)::int AS waiting FROM deliveries d WHERE d.application_id = w.application_id
        AND d.state = 'pending' AND d.next_attempt_at < now() - ${STUCK_AFTER}::interval
    ) d
    WHERE NOT w.active OR d.waiting > 0
    ORDER BY p.name LIMIT 20`.execute(kysely)
  const stuck = rows.filter(({ active }) => active)
  if (inUse) {
    for (const { name, waiting } of stuck) {
      yield warning(
        WEBHOOKS,
        `${name} is stuck: ${waiting} deliveries are overdue`,
        'Restart the portal and look for "deliveries" in its log.',
      )
    }
  }
  for (const { name, lastError } of rows.filter(({ active }) => !active)) {
    yield warning(
      WEBHOOKS,
      `${name} was turned off after failures${lastError === null ? '' : ` (${lastError})`}`,
      'Its owner turns it back on by setting the URL again: PUT /api/v1/webhook, or on the application’s webhook page.',
    )
  }
  if (rows.length === 0) yield ok(WEBHOOKS, 'none are stuck or turned off')
}
