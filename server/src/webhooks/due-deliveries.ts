import type { Pool } from 'pg'

export interface DueDelivery {
  readonly id: string
  readonly event: string
  readonly lane: string | null
  readonly body: string
  readonly attempts: number
  readonly createdAt: string
}

/** How far ahead it is looked for lanes that are free: a long backlog is not read whole for each delivery. */
const LOOK_AHEAD = 200

/**
 * What an application can be sent now: of each lane the oldest that was never tried, and retries whose time has come.
 * Those under way, and first attempts in their lanes, are left out.
 */
const DUE = `
  (SELECT DISTINCT ON (d.lane) d.id, d.event, d.lane, d.body, d.attempts, d.created_at AS "createdAt", d.seq
    FROM (
      SELECT * FROM deliveries
      WHERE application_id = $1::uuid AND state = 'pending' AND attempts = 0 AND next_attempt_at <= now()
        AND id <> ALL ($2::uuid[]) AND (lane IS NULL OR lane <> ALL ($3::uuid[]))
      ORDER BY seq LIMIT ${LOOK_AHEAD}
    ) d
    ORDER BY d.lane, d.seq
    LIMIT $4)
  UNION ALL
  (SELECT d.id, d.event, d.lane, d.body, d.attempts, d.created_at, d.seq
    FROM deliveries d
    WHERE d.application_id = $1::uuid AND d.state = 'pending' AND d.attempts > 0 AND d.next_attempt_at <= now()
      AND d.id <> ALL ($2::uuid[])
    ORDER BY d.next_attempt_at
    LIMIT $4)
  LIMIT $4`

export async function dueDeliveries(
  pool: Pool,
  applicationId: string,
  underWay: readonly DueDelivery[],
  most: number,
): Promise<DueDelivery[]> {
  const ids = underWay.map(({ id }) => id)
  const lanes = underWay.flatMap(({ lane, attempts }) => (attempts === 0 && lane !== null ? [lane] : []))
  const { rows } = await pool.query<DueDelivery>({
    name: 'due_deliveries',
    text: DUE,
    values: [applicationId, ids, lanes, most],
  })
  return rows
}
