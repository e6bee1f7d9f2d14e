import { lockChannel } from '../operations/lock-channel.ts'
import type { Tx } from '../operations/transaction.ts'
import { removeMember } from './remove-member.ts'

/** In one fixed order, so that two people who leave the same channels concurrently don't deadlock. */
export async function leaveAllChannels(tx: Tx, accountId: string): Promise<void> {
  const places = await tx.db
    .selectFrom('members')
    .select('channel_id')
    .where('account_id', '=', accountId)
    .orderBy('channel_id')
    .execute()
  for (const { channel_id } of places) {
    await lockChannel(tx, channel_id)
    await removeMember(tx, channel_id, accountId)
  }
}
