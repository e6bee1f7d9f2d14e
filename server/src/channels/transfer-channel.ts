import { LIMITS, type Input, type OwnChannel } from '@portico/contract'
import type * as api from '@portico/contract'
import type { ChannelPlace } from '../operations/authorize.ts'
import { loadMember, type OtherMember } from '../members/load-member.ts'
import { setSystemRole } from '../members/set-system-role.ts'
import { cannot } from '../operations/refusal.ts'
import type { Tx } from '../operations/transaction.ts'
import { mayOwnOneMore } from './create-channel.ts'
import { ownChannel } from './own-channels.ts'
import { refuseUnlessOwner } from './refuse-unless-owner.ts'

export async function transferChannel(
  tx: Tx,
  input: Input<typeof api.transferChannel>,
  channel: ChannelPlace,
): Promise<OwnChannel> {
  refuseUnlessOwner(tx, channel)
  await transferOwnership(tx, channel, input.userId)
  return ownChannel(tx, channel.channelId)
}

/** Transfers a channel, whose row the caller has locked, to another member. The old owner stays as an administrator. */
export async function transferOwnership(
  tx: Tx,
  { channelId, ownerId }: Pick<ChannelPlace, 'channelId' | 'ownerId'>,
  userId: string,
): Promise<OtherMember> {
  const newOwner = await loadMember(tx, channelId, userId)
  if (newOwner.id === ownerId) throw cannot(`${newOwner.name} already owns this channel.`, 'already_the_owner')
  if (newOwner.isBot) throw cannot('A bot can’t own a channel.', 'not_a_person')
  if (!(await mayOwnOneMore(tx, newOwner.id))) {
    throw cannot(`${newOwner.name} already owns ${LIMITS.channelsOwned} channels.`, 'owns_too_many_channels')
  }

  await tx.db.updateTable('channels').set({ owner_id: newOwner.id }).where('id', '=', channelId).execute()
  await setSystemRole(tx, channelId, ownerId, 'CHANNEL_ADMIN')
  await setSystemRole(tx, channelId, newOwner.id, 'CHANNEL_OWNER')
  tx.audit({ action: 'channel.transferred', channelId, target: newOwner })
  return newOwner
}
