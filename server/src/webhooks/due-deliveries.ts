import type { Pool } from 'pg'
import { batchResults } from '../db/batch.ts'

export interface DueDelivery {
  readonly id: string
  readonly event: string
  readonly lane: string | null
  readonly attempts: number
  /** Attempts that don't count for the pauses: made before a replay or redelivery, or interrupted. */
  readonly attemptsBefore: number
  readonly replayed: boolean
  /** Held by a pause: newer events of its room wait for its first attempt. */
  readonly resumed: boolean
  readonly createdAt: string
}

export function isFirstAttempt({ attempts, attemptsBefore }: DueDelivery): boolean {
  return attempts === attemptsBefore
}

export interface Wanted {
  readonly applicationId: string
  /** Deliveries that are known already, and lanes from which no first attempt is wanted. */
  readonly known: readonly string[]
  readonly busyLanes: readonly string[]
  /** Whether to include replayed deliveries. */
  readonly replayed: boolean
}

/** The number of first attempts per read: fewer means that there are no more. */
export const MOST_AHEAD = 64
const MOST_RETRIES = 8
const MOST_TOGETHER = 50

/**
 * The due deliveries of applications: first attempts in order, and retries whose time has come. Only the holder of an
 * application's lease gets any.
 */
const DUE = `
  SELECT a.place, d.id, d.event, d.lane, d.attempts, d.attempts_before AS "attemptsBefore", d.replayed,
    d.resumed, d.created_at AS "createdAt"
  FROM (
    SELECT id, lanes::uuid[] AS lanes, replayed, place
    FROM unnest($1::uuid[], $2::text[], $3::boolean[]) WITH ORDINALITY AS wanted (id, lanes, replayed, place)
    OFFSET 0
  ) a
  JOIN webhooks w ON w.application_id = a.id AND w.active AND w.leased_by = $5::uuid
  CROSS JOIN LATERAL (
    (SELECT * FROM deliveries f
      WHERE application_id = a.id AND state = 'pending' AND attempts = attempts_before AND next_attempt_at <= now()
        AND id <> ALL ($4::uuid[]) AND (lane IS NULL OR lane <> ALL (a.lanes)) AND (a.replayed OR NOT replayed)
        AND (resumed OR NOT EXISTS (SELECT FROM deliveries r
          WHERE r.application_id = a.id AND r.state = 'pending' AND r.attempts = r.attempts_before AND r.resumed
            AND r.lane = f.lane AND r.seq < f.seq AND r.id <> ALL ($4::uuid[])))
      ORDER BY seq LIMIT ${MOST_AHEAD})
    UNION ALL
    (SELECT * FROM deliveries
      WHERE application_id = a.id AND state = 'pending' AND attempts > attempts_before AND next_attempt_at <= now()
        AND id <> ALL ($4::uuid[]) AND (a.replayed OR NOT replayed)
      ORDER BY next_attempt_at LIMIT ${MOST_RETRIES})
  ) d
  ORDER BY a.place, d.attempts > d.attempts_before, d.seq`

/** Reads the due deliveries of an application; concurrent calls are batched. */
export function dueDeliveries(pool: Pool, worker: string): (wanted: Wanted) => Promise<readonly DueDelivery[]> {
  return batchResults(MOST_TOGETHER, async (wanted: readonly Wanted[]) => {
    const { rows } = await pool.query<DueDelivery & { place: number }>({
      name: 'due_deliveries',
      text: DUE,
      values: [
        wanted.map(({ applicationId }) => applicationId),
        wanted.map(({ busyLanes }) => `{${busyLanes.join(',')}}`),
        wanted.map(({ replayed }) => replayed),
        wanted.flatMap(({ known }) => known),
        worker,
      ],
    })
    const due: DueDelivery[][] = wanted.map(() => [])
    for (const { place, ...delivery } of rows) due[place - 1]?.push(delivery)
    return due
  })
}
