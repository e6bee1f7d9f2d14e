import { sql } from 'kysely'
import type { Tx } from '../operations/transaction.ts'
import { webhookChanged } from './webhook-changed.ts'

/** The position after which the next event will be. */
export const LOG_END = sql`(SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM events_seq_seq)`

/**
 * Called when the key of an application has changed: without the scope `events` its webhook pauses and events are held;
 * with the scope it resumes with new ones. A webhook that failures turned off stays off either way.
 */
export async function followScope(tx: Tx, applicationId: string, scopes: readonly string[]): Promise<void> {
  if (scopes.includes('events')) await resume(tx, applicationId)
  else await pause(tx, applicationId)
  webhookChanged(tx, applicationId)
}

async function pause(tx: Tx, applicationId: string): Promise<void> {
  await sql`
    WITH off AS (
      UPDATE webhooks SET active = false, paused = true
      WHERE application_id = ${applicationId}::uuid AND active RETURNING application_id, cursor_seq
    ), gap AS (
      INSERT INTO webhook_gaps (application_id, from_seq) SELECT application_id, cursor_seq FROM off
      ON CONFLICT (application_id, from_seq) DO UPDATE SET to_seq = NULL
    )
    UPDATE deliveries d SET state = 'held', next_attempt_at = NULL
    FROM off WHERE d.application_id = off.application_id AND d.state = 'pending'`.execute(tx.db)
}

async function resume(tx: Tx, applicationId: string): Promise<void> {
  await sql`
    WITH resumed AS (
      UPDATE webhooks SET active = true, paused = false, cursor_seq = ${LOG_END}
      WHERE application_id = ${applicationId}::uuid AND paused RETURNING application_id, cursor_seq
    )
    UPDATE webhook_gaps g SET to_seq = resumed.cursor_seq
    FROM resumed WHERE g.application_id = resumed.application_id AND g.to_seq IS NULL`.execute(tx.db)
}
