import { sql } from 'kysely'
import type { Tx } from '../transaction.ts'
import { webhookChanged } from './webhook-changed.ts'

/** Said to the owner of a webhook that waits for its key. */
export const NO_SCOPE = 'the application has no key with the scope `events`'

/**
 * A webhook that is off without a failure waits for a key with the scope `events`: one that was turned off by failures
 * has at least one, and stays off until its address is set again.
 */
export const AWAITS_SCOPE = sql<boolean>`(NOT active AND failed_streak = 0)`

/** The position that the next event will be behind. */
export const LOG_END = sql`(SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM events_seq_seq)`

/**
 * Called when the key of an application has changed: who may not ask for events is not sent any. What happens meanwhile
 * is held as it is for a webhook that was turned off; with the scope, new events go out again.
 */
export async function followScope(tx: Tx, applicationId: string, scopes: readonly string[]): Promise<void> {
  if (scopes.includes('events')) await goOn(tx, applicationId)
  else await wait(tx, applicationId)
  webhookChanged(tx, applicationId)
}

async function wait(tx: Tx, applicationId: string): Promise<void> {
  await sql`
    WITH off AS (
      UPDATE webhooks SET active = false, failed_streak = 0, failing_since = NULL, turned_off_at = now(),
        last_error = ${NO_SCOPE}
      WHERE application_id = ${applicationId}::uuid AND active RETURNING application_id, cursor_seq
    ), gap AS (
      INSERT INTO webhook_gaps (application_id, from_seq) SELECT application_id, cursor_seq FROM off
      ON CONFLICT (application_id, from_seq) DO UPDATE SET to_seq = NULL
    )
    UPDATE deliveries d SET state = 'held', next_attempt_at = NULL
    FROM off WHERE d.application_id = off.application_id AND d.state = 'pending'`.execute(tx.db)
}

async function goOn(tx: Tx, applicationId: string): Promise<void> {
  await sql`
    WITH awaited AS (
      UPDATE webhooks SET active = true, turned_off_at = NULL, last_error = NULL, cursor_seq = ${LOG_END}
      WHERE application_id = ${applicationId}::uuid AND ${AWAITS_SCOPE} RETURNING application_id, cursor_seq
    )
    UPDATE webhook_gaps g SET to_seq = awaited.cursor_seq
    FROM awaited WHERE g.application_id = awaited.application_id AND g.to_seq IS NULL`.execute(tx.db)
}
