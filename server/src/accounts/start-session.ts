import { LIMITS } from '@portico/contract'
import type { Tx } from '../operations/transaction.ts'
import { newId } from '../operations/ids.ts'
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
  const ended = await tx.db
    .deleteFrom('sessions')
    .where('id', 'in', (db) =>
      db
        .selectFrom('sessions')
        .select('id')
        .where('account_id', '=', accountId)
        .orderBy('last_used_at', 'desc')
        .orderBy('id', 'desc')
        .offset(LIMITS.sessions - 1),
    )
    .returning('id')
    .execute()
  if (ended.length > 0) publishSessionsEnded(tx, accountId)
}
