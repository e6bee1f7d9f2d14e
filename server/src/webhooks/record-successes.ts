import type { Pool } from 'pg'
import { batchResults } from '../db/batch.ts'
import type { Attempt } from '../outbound/attempt.ts'
import type { DueDelivery } from './due-deliveries.ts'

export interface Success {
  readonly applicationId: string
  readonly delivery: DueDelivery
  readonly attempt: Attempt
  /** The URL that accepted it: it doesn't count for a webhook that has another address by now. */
  readonly url: string
}

const MOST_TOGETHER = 100
/**
 * In milliseconds: how long a success waits to be recorded together with others. The next delivery doesn't wait for it. After a
 * crash, unrecorded ones are sent again.
 */
const GATHER = 100

/** Locks the webhooks first, in a fixed order, to prevent deadlocks. */
const RECORD = `
  WITH made AS (
    SELECT * FROM unnest($1::uuid[], $2::int[], $3::timestamptz[], $4::int[], $5::int[], $6::text[], $9::text[], $10::json[])
      AS made (delivery_id, number, at, duration_ms, status, answer, url, headers)
  ), locked AS (
    SELECT w.application_id FROM webhooks w
    JOIN (SELECT DISTINCT * FROM unnest($7::uuid[], $8::text[]) AS delivered (application_id, url)) t
      ON t.application_id = w.application_id AND t.url = w.url
    WHERE w.active ORDER BY w.application_id FOR UPDATE OF w
  ), judged AS (
    UPDATE webhooks w SET failed_streak = 0, failing_since = NULL, last_success_at = now()
    FROM locked WHERE w.application_id = locked.application_id
    RETURNING 1
  ), noted AS (
    INSERT INTO delivery_attempts (delivery_id, number, at, duration_ms, status, answer, url, headers)
    SELECT m.delivery_id, m.number, m.at, m.duration_ms, m.status, m.answer, m.url, m.headers
    FROM made m JOIN deliveries d ON d.id = m.delivery_id
    ON CONFLICT (delivery_id, number) DO NOTHING
  )
  UPDATE deliveries d SET attempts = m.number, first_attempt_at = coalesce(d.first_attempt_at, m.at),
    state = 'delivered', next_attempt_at = NULL
  FROM made m WHERE d.id = m.delivery_id AND (SELECT count(*) FROM judged) >= 0`

/**
 * Records successful deliveries in batches. If a batch fails, each is recorded alone, so that no receiver gets a delivery
 * twice because of another one.
 */
export function successRecorder(pool: Pool): (success: Success) => Promise<void> {
  const recordAll = async (successes: readonly Success[]) => {
    try {
      await record(pool, successes)
      return successes.map(() => null)
    } catch (error) {
      if (successes.length === 1) throw error
      const alone = await Promise.allSettled(successes.map((success) => record(pool, [success])))
      return alone.map((outcome) => (outcome.status === 'rejected' ? { fault: outcome.reason as unknown } : null))
    }
  }
  const recordTogether = batchResults(MOST_TOGETHER, recordAll, GATHER)
  return async (success) => {
    const failed = await recordTogether(success)
    if (failed) throw failed.fault
  }
}

async function record(pool: Pool, successes: readonly Success[]): Promise<void> {
  await pool.query({
    name: 'record_successes',
    text: RECORD,
    values: [
      successes.map(({ delivery }) => delivery.id),
      successes.map(({ delivery }) => delivery.attempts + 1),
      successes.map(({ attempt }) => attempt.at),
      successes.map(({ attempt }) => attempt.durationMs),
      successes.map(({ attempt }) => attempt.status),
      successes.map(({ attempt }) => attempt.answer),
      successes.map(({ applicationId }) => applicationId),
      successes.map(({ url }) => url),
      successes.map(({ attempt }) => attempt.url),
      successes.map(({ attempt }) => JSON.stringify(attempt.headers)),
    ],
  })
}
