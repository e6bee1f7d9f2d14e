import { sql } from 'kysely'
import { cannot } from '../operations/refusal.ts'
import type { Tx } from '../operations/transaction.ts'

/** Refuses a list that contains anyone who isn't a member of the channel. */
export async function refuseStrangers(tx: Tx, channelId: string, accountIds: readonly string[]): Promise<void> {
  const { rows } = await sql`
    SELECT FROM members WHERE channel_id = ${channelId}::uuid AND account_id = ANY (${accountIds}::uuid[])`.execute(
    tx.db,
  )
  if (rows.length < accountIds.length) throw cannot('There’s no such member in this channel.', 'not_a_member')
}
