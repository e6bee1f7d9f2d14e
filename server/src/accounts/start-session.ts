import { LIMITS } from '@portico/contract'
import { sql } from 'kysely'
import type { Tx } from '../operations/transaction.ts'
import { newId } from '../operations/ids.ts'
import { deleteSessions } from './delete-sessions.ts'
import { deviceName } from './device-name.ts'
import { hashToken, newToken } from './session-token.ts'
import { publishSessionsEnded } from './sessions.ts'

/** Signs the caller in as this account: creates a session and puts its token into the response's cookie. */
export async function startSession(tx: Tx, accountId: string): Promise<void> {
  if (tx.actor.kind !== 'nobody') throw new Error('only someone who is not signed in can sign in')
  await endOldestSessions(tx, accountId)
  const token = newToken()
  await tx.db
    .insertInto('sessions')
    .values({
      id: newId(),
      account_id: accountId,
      token_hash: hashToken(token),
      device: deviceName(tx.actor.device),
      address: tx.actor.address,
    })
    .execute()
  tx.setSession(token)
}

/** Makes room for one more session: those that weren't used for the longest time end. */
async function endOldestSessions(tx: Tx, accountId: string): Promise<void> {
  const oldest = sql`id IN (
    SELECT id FROM sessions WHERE account_id = ${accountId}::uuid
    ORDER BY last_used_at DESC, id DESC OFFSET ${LIMITS.sessions - 1}::int
  )`
  const ended = await deleteSessions(tx.db, accountId, 'session_limit', oldest)
  if (ended > 0) publishSessionsEnded(tx, accountId)
}
