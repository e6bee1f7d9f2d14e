import type { Pool } from 'pg'
import { insertAuditEntries } from '../operations/audit-entry.ts'
import type { Attempt } from '../outbound/attempt.ts'
import { retryPause } from '../outbound/retry-pause.ts'
import type { DueDelivery } from './due-deliveries.ts'

export interface RetryPolicy {
  /** The pauses between attempts in seconds; there is one more attempt than pauses. */
  readonly pauses: readonly number[]
  /** A webhook is turned off after this many consecutive failures and this long without a success. */
  readonly offAfterStreak: number
  readonly offAfterSeconds: number
}

export interface Failure {
  readonly applicationId: string
  readonly delivery: DueDelivery
  readonly attempt: Attempt
  /** The URL that failed. */
  readonly url: string
}

/** What a failure means for the webhook. */
export interface Verdict {
  readonly active: boolean
}

/**
 * Writes a failed attempt down: the attempt itself, what becomes of the delivery, and what it means for the webhook. In
 * one statement, so that no crash leaves a webhook that failed without a trace. Turning a webhook off is an audit entry. There is no verdict on a webhook that is
 * off, gone, or at another address by now.
 */
export async function recordFailure(
  pool: Pool,
  { applicationId, delivery, attempt, url }: Failure,
  policy: RetryPolicy,
): Promise<Verdict | undefined> {
  const pause = retryPause(delivery.attempts - delivery.attemptsBefore + 1, attempt, policy.pauses)
  const { rows } = await pool.query<Verdict>({
    name: 'record_failure',
    text: RECORD,
    values: [
      delivery.id,
      delivery.attempts + 1,
      attempt.at,
      attempt.durationMs,
      attempt.status,
      attempt.error,
      attempt.answer,
      pause ?? null,
      applicationId,
      url,
      attempt.status === 410,
      policy.offAfterStreak,
      policy.offAfterSeconds,
      attempt.url,
      attempt.headers,
    ],
  })
  const [verdict] = rows
  if (verdict?.active === false) await pool.query(HOLD, [applicationId])
  return verdict
}

/**
 * When a webhook is turned off, its unfinished deliveries are held and a gap begins: both can be replayed. A delivery that
 * was held or given up during the attempt stays so.
 */
const RECORD = `
  WITH before AS (
    SELECT w.cursor_seq, (
      $11::boolean
      OR (w.failed_streak + 1 >= $12::int
        AND coalesce(w.failing_since, now()) <= now() - make_interval(secs => $13::float8))
      OR ($8::float8 IS NULL AND coalesce(w.last_success_at, '-infinity') < (
        SELECT coalesce(d.first_attempt_at, now() - make_interval(secs => $4::float8 / 1000))
        FROM deliveries d WHERE d.id = $1::uuid))
    ) AS ends
    FROM webhooks w WHERE w.application_id = $9::uuid AND w.active AND w.url = $10 FOR UPDATE
  ), noted AS (
    INSERT INTO delivery_attempts (delivery_id, number, at, duration_ms, status, error, answer, url, headers)
    SELECT $1::uuid, $2::int, $3::timestamptz, $4::int, $5::int, $6, $7, $14, $15::json FROM deliveries WHERE id = $1::uuid
    ON CONFLICT (delivery_id, number) DO NOTHING
  ), moved AS (
    UPDATE deliveries d SET attempts = $2::int,
      first_attempt_at = coalesce(d.first_attempt_at, now() - make_interval(secs => $4::float8 / 1000)),
      state = CASE
        WHEN d.state <> 'pending' THEN d.state
        WHEN $8::float8 IS NULL THEN 'failed'
        WHEN (SELECT ends FROM before) THEN 'held'
        ELSE 'pending' END,
      next_attempt_at = CASE
        WHEN d.state = 'pending' AND NOT coalesce((SELECT ends FROM before), false)
        THEN now() + make_interval(secs => $8::float8) END
    WHERE d.id = $1::uuid
  ), judged AS (
    UPDATE webhooks w SET
      failed_streak = w.failed_streak + 1,
      failing_since = coalesce(w.failing_since, now()),
      last_error = $6,
      active = NOT before.ends,
      turned_off_at = CASE WHEN before.ends THEN now() END
    FROM before WHERE w.application_id = $9::uuid
    RETURNING w.active, w.failed_streak
  ), audited AS (
    ${insertAuditEntries(`
      SELECT 'webhook.turned_off', p.id, p.name,
        jsonb_build_object('error', $6::text, 'failedStreak', judged.failed_streak)
      FROM judged JOIN applications p ON p.id = $9::uuid WHERE NOT judged.active`)}
  ), held AS (
    UPDATE deliveries d SET state = 'held', next_attempt_at = NULL, resumed = false
    WHERE d.application_id = $9::uuid AND d.state = 'pending' AND d.id <> $1::uuid AND (SELECT ends FROM before)
  ), gap AS (
    -- A webhook may go off twice at the same position: the gap is open again then.
    INSERT INTO webhook_gaps (application_id, from_seq)
    SELECT $9::uuid, before.cursor_seq FROM before WHERE before.ends
    ON CONFLICT (application_id, from_seq) DO UPDATE SET to_seq = NULL
  )
  SELECT active FROM judged`

/** Deliveries that were planned while `RECORD` waited for the lock of the webhook, which it couldn't see. */
const HOLD = `
  UPDATE deliveries d SET state = 'held', next_attempt_at = NULL, resumed = false
  FROM webhooks w
  WHERE w.application_id = $1::uuid AND NOT w.active AND d.application_id = w.application_id AND d.state = 'pending'`
