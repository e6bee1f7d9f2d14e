import type { Output, SessionEndReason } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import type { Tx } from '../operations/transaction.ts'
import { EXPIRES_AT, IS_EXPIRED } from './delete-sessions.ts'
import { hashToken } from './session-token.ts'

/**
 * Only the holder of the session token can ask. A token that is unknown, still valid or was signed out gets the same
 * answer as none.
 */
export async function getSessionEnd(tx: Tx): Promise<Output<typeof api.getSessionEnd>> {
  if (tx.actor.kind !== 'nobody') throw new Error('the end of a session is for someone who is not signed in')
  const { sessionToken } = tx.actor
  if (sessionToken === undefined) return { end: null }
  const hash = hashToken(sessionToken)
  // An expired session is deleted within the hour.
  const { rows } = await sql<{ reason: SessionEndReason; endedAt: string }>`
    SELECT reason, ended_at AS "endedAt" FROM ended_sessions WHERE token_hash = ${hash}
    UNION ALL
    SELECT 'expired', ${EXPIRES_AT} FROM sessions WHERE token_hash = ${hash} AND ${IS_EXPIRED}
    LIMIT 1`.execute(tx.db)
  return { end: rows[0] ?? null }
}
