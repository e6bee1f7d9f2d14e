import type { Input, Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import type { Tx } from '../operations/transaction.ts'
import { followScope } from '../webhooks/follow-scope.ts'
import { botOf } from '../operations/bot-of.ts'
import { lockOwnApplication } from './application.ts'
import { hashSecret, KEY_PREFIX, newSecret } from './key.ts'
import { notifyOwner } from './notify-owner.ts'

/** One row holds the key of an application: issuing a new one is the end of the old one, in the same instant. */
export async function issueKey(
  tx: Tx,
  { applicationId, scopes }: Input<typeof api.issueKey>,
): Promise<Output<typeof api.issueKey>> {
  const application = await lockOwnApplication(tx, applicationId)
  const key = newSecret(KEY_PREFIX)
  const issued_at = new Date().toISOString()
  const row = {
    key_hash: hashSecret(key),
    hint: key.slice(0, KEY_PREFIX.length + 4),
    scopes,
    issued_at,
    last_used_at: null,
  }
  const { replaced } = await tx.db
    .insertInto('application_keys')
    .values({ application_id: application.id, ...row })
    .onConflict((conflict) => conflict.column('application_id').doUpdateSet(row))
    .returning(sql<boolean>`xmax <> 0`.as('replaced'))
    .executeTakeFirstOrThrow()
  await followScope(tx, application.id, scopes)
  notifyOwner(tx, application.id)
  tx.afterCommit(() => tx.services.bus.publish('keys', application.botId))
  tx.audit({ action: replaced ? 'key.reissued' : 'key.issued', target: application, details: { scopes } })
  return { key, scopes, issuedAt: issued_at }
}

export async function revokeKey(tx: Tx): Promise<null> {
  const { id, applicationId, keyHash, name } = botOf(tx.actor)
  await tx.db.deleteFrom('application_keys').where('key_hash', '=', keyHash).execute()
  await followScope(tx, applicationId, [])
  notifyOwner(tx, applicationId)
  tx.audit({
    action: 'key.revoked',
    target: { id: applicationId, name },
    reason: 'Revoked by a request that proved it',
  })
  tx.afterCommit(() => tx.services.bus.publish('keys', id))
  return null
}
