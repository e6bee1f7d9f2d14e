import type { Tx } from '../operations/transaction.ts'

/** A person who was kicked comes back by invitation only. */
export async function recordKick(tx: Tx, channelId: string, accountId: string): Promise<void> {
  await tx.db
    .insertInto('kicks')
    .values({ channel_id: channelId, account_id: accountId })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Deletes what channels remember of a person who is no longer a member: kicks, and mutes that would apply again. */
export async function deleteMemberTraces(tx: Tx, accountId: string): Promise<void> {
  await tx.db.deleteFrom('kicks').where('account_id', '=', accountId).execute()
  await tx.db.deleteFrom('saved_mutes').where('account_id', '=', accountId).execute()
}
