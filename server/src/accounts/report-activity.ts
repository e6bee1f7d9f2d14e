import type { Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import type { Tx } from '../operations/transaction.ts'
import { signedIn } from './sessions.ts'

/** Written only for people to whom something could be pushed: nobody else’s presence matters. */
export async function reportActivity(tx: Tx): Promise<Output<typeof api.reportActivity>> {
  const { id, sessionId } = signedIn(tx)
  const { rows } = await sql`
    UPDATE sessions SET active_at = now()
    WHERE id = ${sessionId}::uuid AND EXISTS (SELECT FROM push_subscriptions WHERE account_id = ${id}::uuid)
    RETURNING id`.execute(tx.db)
  return { repeat: rows.length > 0 }
}
