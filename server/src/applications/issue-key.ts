import type { Input, Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql, type Kysely } from 'kysely'
import type { Tables } from '../db/tables.ts'
import type { Tx } from '../operations/transaction.ts'
import type { Services } from '../operations/services.ts'
import { botOf } from '../operations/bot-of.ts'
import { lockOwnApplication } from './application.ts'
import { hashSecret, KEY_PREFIX, newSecret } from '../secrets/generated-secret.ts'
import { notifyOwner } from './notify-owner.ts'

/** An application has one row for its key, so a new key replaces the old one atomically. */
export async function issueKey(
  tx: Tx,
  { applicationId, scopes }: Input<typeof api.issueKey>,
  _place: undefined,
  { webhooks }: Pick<Services, 'webhooks'>,
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
  await webhooks.followScope(tx, application.id, scopes)
  notifyOwner(tx, application.id)
  tx.afterCommit(({ bus }) => bus.publish('keys', application.botId))
  tx.audit({ action: replaced ? 'key.reissued' : 'key.issued', target: application, details: { scopes } })
  return { key, scopes, issuedAt: issued_at }
}

export async function revokeKey(
  tx: Tx,
  _input: unknown,
  _place: undefined,
  { webhooks }: Pick<Services, 'webhooks'>,
): Promise<null> {
  const { id, applicationId, keyHash, name } = botOf(tx.actor)
  await tx.db.deleteFrom('application_keys').where('key_hash', '=', keyHash).execute()
  await webhooks.followScope(tx, applicationId, [])
  notifyOwner(tx, applicationId)
  tx.audit({
    action: 'key.revoked',
    target: { id: applicationId, name },
    reason: 'Revoked by a request that proved it',
  })
  tx.afterCommit(({ bus }) => bus.publish('keys', id))
  return null
}

export async function markKeyUsed(db: Kysely<Tables>, keyHash: Buffer): Promise<void> {
  await db
    .updateTable('application_keys')
    .set({ last_used_at: sql`now()` })
    .where('key_hash', '=', keyHash)
    .execute()
}
