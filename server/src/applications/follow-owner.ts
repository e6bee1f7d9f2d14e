import { sql } from 'kysely'
import type { Tx } from '../operations/transaction.ts'
import type { Webhooks } from './webhooks.ts'

/**
 * Stops or resumes the applications of a person who was disabled or enabled. Keys and sign-in check the owner with every
 * request; open streams are closed, and webhooks pause and hold their events.
 */
export async function followOwner(tx: Tx, webhooks: Webhooks, ownerId: string): Promise<void> {
  const applications = await tx.db
    .selectFrom('applications as p')
    .innerJoin('accounts as o', 'o.id', 'p.owner_id')
    .leftJoin('application_keys as k', 'k.application_id', 'p.id')
    .select(['p.id', 'p.bot_id as botId', sql<boolean>`o.disabled_at IS NULL`.as('enabled')])
    .select(sql<string[]>`coalesce(k.scopes, '{}')`.as('scopes'))
    .where('p.owner_id', '=', ownerId)
    .execute()
  for (const { id, botId, enabled, scopes } of applications) {
    await webhooks.followScope(tx, id, enabled ? scopes : [])
    tx.afterCommit(({ bus }) => bus.publish('keys', botId))
  }
}
