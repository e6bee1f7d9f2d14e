import type { Pool } from 'pg'

export interface DueDelivery {
  readonly id: string
  readonly event: string
  readonly lane: string | null
  readonly body: string
  readonly attempts: number
  /** Those made before it was replayed or redelivered: its pauses began anew after them. */
  readonly attemptsBefore: number
  readonly replayed: boolean
  readonly createdAt: string
  /** The address and the sealed secret as they are now: an attempt that begins after a change uses the new ones. */
  readonly url: string
  readonly secret: Buffer
}

export function isFirstAttempt({ attempts, attemptsBefore }: DueDelivery): boolean {
  return attempts === attemptsBefore
}

export interface Wanted {
  readonly applicationId: string
  /** The process that asks: only whoever holds the lease is told of anything. */
  readonly worker: string
  readonly underWay: readonly DueDelivery[]
  readonly most: number
  /** Whether what is replayed may go out now, or has to wait for its pace. */
  readonly replayed: boolean
}

/** How far ahead it is looked for lanes that are free: a long backlog is not read whole for each delivery. */
const LOOK_AHEAD = 200

/**
 * What an application can be sent now: of each lane the oldest that was never tried, and retries whose time has come.
 * Those under way, and first attempts in their lanes, are left out.
 */
const DUE = `
  WITH due AS NOT MATERIALIZED (
    SELECT * FROM deliveries
    WHERE application_id = $1::uuid AND state = 'pending' AND next_attempt_at <= now()
      AND id <> ALL ($2::uuid[]) AND ($6::boolean OR NOT replayed)
  ), first_attempts AS (
    SELECT * FROM (
      SELECT DISTINCT ON (n.lane) n.* FROM (
        SELECT * FROM due WHERE attempts = attempts_before AND (lane IS NULL OR lane <> ALL ($3::uuid[]))
        ORDER BY seq LIMIT ${LOOK_AHEAD}
      ) n
      ORDER BY n.lane, n.seq
    ) f
    ORDER BY f.seq LIMIT $4
  ), retries AS (
    SELECT * FROM due WHERE attempts > attempts_before ORDER BY next_attempt_at LIMIT $4
  )
  SELECT d.id, d.event, d.lane, d.body, d.attempts, d.attempts_before AS "attemptsBefore", d.replayed,
    d.created_at AS "createdAt", w.url, w.secret
  FROM (SELECT * FROM first_attempts UNION ALL SELECT * FROM retries) d
  JOIN webhooks w ON w.application_id = $1::uuid AND w.active AND w.leased_by = $5::uuid
  ORDER BY d.attempts > d.attempts_before, d.seq
  LIMIT $4`

export async function dueDeliveries(pool: Pool, wanted: Wanted): Promise<DueDelivery[]> {
  const { applicationId, worker, underWay, most, replayed } = wanted
  const ids = underWay.map(({ id }) => id)
  const lanes = underWay.filter(isFirstAttempt).flatMap(({ lane }) => lane ?? [])
  const { rows } = await pool.query<DueDelivery>({
    name: 'due_deliveries',
    text: DUE,
    values: [applicationId, ids, lanes, most, worker, replayed],
  })
  return rows
}
