import { channelChanged, type Input } from '@portico/contract'
import type * as api from '@portico/contract'
import { applicationsOn } from '../applications/installations.ts'
import { notifyOwner } from '../applications/notify-owner.ts'
import { sql } from 'kysely'
import { endInstallations } from '../members/membership.ts'
import type { ChannelPlace } from '../operations/authorize.ts'
import { cannot } from '../operations/refusal.ts'
import type { Tx } from '../operations/transaction.ts'
import { emptyRoomsOf } from '../voice/voice-session.ts'
import { refuseUnlessOwner } from './refuse-unless-owner.ts'

export async function deleteChannel(
  tx: Tx,
  input: Input<typeof api.deleteChannel>,
  channel: ChannelPlace,
): Promise<null> {
  refuseUnlessOwner(tx, channel)
  await dropChannel(tx, channel, input.name)
  return null
}

/**
 * Deletes a channel whose row the caller has locked, if the name matches. It is gone for everyone when this commits; its rows are
 * removed in the background, because there may be hundreds of thousands.
 */
export async function dropChannel(
  tx: Tx,
  { channelId, channelName }: Pick<ChannelPlace, 'channelId' | 'channelName'>,
  name: string,
): Promise<void> {
  if (name.trim() !== channelName) throw cannot('That isn’t the channel’s name.', 'wrong_name')

  for (const applicationId of await applicationsOn(tx, channelId)) notifyOwner(tx, applicationId)
  await emptyRoomsOf(tx, channelId)
  await endInstallations(tx, { id: channelId, name: channelName })
  await tx.db
    .updateTable('channels')
    .set({ deleted_at: sql`now()`, open: false })
    .where('id', '=', channelId)
    .execute()
  // In the portal's audit log: the channel's own is deleted with it.
  tx.emit(channelChanged, { channelId }, { subject: 'channel' })
  tx.audit({ action: 'channel.deleted', target: { id: channelId, name: channelName } })
}
