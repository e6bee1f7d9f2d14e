import { lockChannel } from '../operations/lock-channel.ts'
import type { Tx } from '../operations/transaction.ts'
import { removeMember } from './remove-member.ts'

/** In one order for everybody: two who leave the same channels at once do not wait for each other. */
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
