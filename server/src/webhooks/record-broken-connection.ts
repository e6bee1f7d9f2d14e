import type { Pool } from 'pg'
import type { Attempt } from '../outbound/attempt.ts'
import type { DueDelivery } from './due-deliveries.ts'

const RECORD = `
  WITH noted AS (
    INSERT INTO delivery_attempts (delivery_id, number, at, duration_ms, error, url, headers)
    SELECT id, $2::int, $3::timestamptz, $4::int, $5, $6, $7::json FROM deliveries WHERE id = $1::uuid
    ON CONFLICT (delivery_id, number) DO NOTHING
  )
  UPDATE deliveries SET attempts = $2::int, attempts_before = attempts_before + 1,
    first_attempt_at = coalesce(first_attempt_at, $3::timestamptz)
  WHERE id = $1::uuid AND attempts = $2::int - 1`

/**
 * Records an interrupted attempt before the retry: the receiver may have got it, and may get it twice. The delivery keeps
 * its place in the room and its retries, and the webhook's streak doesn't change.
 */
export async function recordBrokenConnection(
  pool: Pool,
  delivery: DueDelivery,
  attempt: Attempt,
): Promise<DueDelivery> {
  const { id, attempts, attemptsBefore } = delivery
  await pool.query({
    name: 'record_broken_off',
    text: RECORD,
    values: [id, attempts + 1, attempt.at, attempt.durationMs, attempt.error, attempt.url, attempt.headers],
  })
  return { ...delivery, attempts: attempts + 1, attemptsBefore: attemptsBefore + 1 }
}
