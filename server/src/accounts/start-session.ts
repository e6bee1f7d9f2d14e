import type { Tx } from '../operations/transaction.ts'
import { newId } from '../operations/ids.ts'
import { deviceName } from './device-name.ts'
import { hashToken, newToken } from './session-token.ts'

/** Signs the caller in as this account: creates a session and puts its token into the response's cookie. */
export async function startSession(tx: Tx, accountId: string): Promise<void> {
  if (tx.actor.kind !== 'nobody') throw new Error('only someone who is not signed in can sign in')
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
