import { sql } from 'kysely'
import { memberOf } from '../operations/actor.ts'
import type { Tx } from '../operations/transaction.ts'

export interface NewKick {
  readonly channelId: string
  readonly accountId: string
  readonly reason: string | undefined
}

/** A person who was kicked comes back by invitation only, and can read why. */
export async function recordKick(tx: Tx, { channelId, accountId, reason }: NewKick): Promise<void> {
  await sql`
    INSERT INTO kicks (channel_id, account_id, channel_name, reason, kicked_by)
    SELECT c.id, ${accountId}::uuid, c.name, ${reason || null}, ${memberOf(tx.actor).id}::uuid
    FROM channels c WHERE c.id = ${channelId}::uuid
    ON CONFLICT DO NOTHING`.execute(tx.db)
}

/** Deletes what channels remember of a person who is no longer a member: kicks, bans, and mutes that would apply again. */
export async function deleteMemberTraces(tx: Tx, accountId: string): Promise<void> {
  await tx.db.deleteFrom('kicks').where('account_id', '=', accountId).execute()
  await tx.db.deleteFrom('bans').where('account_id', '=', accountId).execute()
  await tx.db.deleteFrom('saved_mutes').where('account_id', '=', accountId).execute()
}
