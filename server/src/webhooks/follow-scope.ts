import { sql } from 'kysely'
import type { Tx } from '../operations/transaction.ts'
import { webhookChanged } from './webhook-changed.ts'

/** The position after which the next event will be. */
export const LOG_END = sql`(SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM events_seq_seq)`

/**
 * Called when the key of an application has changed: without the scope `events` its webhook pauses and events are held;
 * with the scope they are sent. A webhook that failures turned off stays off either way.
 */
export async function followScope(tx: Tx, applicationId: string, scopes: readonly string[]): Promise<void> {
  if (scopes.includes('events')) await resume(tx, applicationId)
  else await pause(tx, applicationId)
  webhookChanged(tx, applicationId)
}

/** The cursor stays: when the webhook resumes, the events since then become deliveries. */
async function pause(tx: Tx, applicationId: string): Promise<void> {
  // A statement that waits for the lock wouldn't see the deliveries that are being planned under it.
  await sql`SELECT FROM webhooks WHERE application_id = ${applicationId}::uuid FOR UPDATE`.execute(tx.db)
  await sql`
    WITH off AS (
      UPDATE webhooks SET active = false, paused = true
      WHERE application_id = ${applicationId}::uuid AND active RETURNING application_id, cursor_seq
    ), gap AS (
      INSERT INTO webhook_gaps (application_id, from_seq) SELECT application_id, cursor_seq FROM off
      ON CONFLICT (application_id, from_seq) DO UPDATE SET to_seq = NULL
    )
    UPDATE deliveries d SET state = 'held', next_attempt_at = NULL, resumed = true
    FROM off WHERE d.application_id = off.application_id AND d.state = 'pending'`.execute(tx.db)
}

async function resume(tx: Tx, applicationId: string): Promise<void> {
  await sql`
    WITH resumed AS (
      UPDATE webhooks SET active = true, paused = false, resumed_to_seq = ${LOG_END}
      WHERE application_id = ${applicationId}::uuid AND paused RETURNING application_id
    ), gap AS (
      DELETE FROM webhook_gaps g USING resumed WHERE g.application_id = resumed.application_id AND g.to_seq IS NULL
    )
    UPDATE deliveries d SET state = 'pending', next_attempt_at = now(), replayed = true, resumed = true,
      attempts_before = attempts, first_attempt_at = NULL
    FROM resumed WHERE d.application_id = resumed.application_id
      -- A pending one was planned while a node of an earlier version paused the webhook.
      AND (d.state = 'held' AND d.resumed OR d.state = 'pending')`.execute(tx.db)
}
