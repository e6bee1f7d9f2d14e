import type { Input, OwnChannel } from '@portico/contract'
import type * as api from '@portico/contract'
import { changesOf } from '../operations/changes-of.ts'
import { refuseUnseen } from '../operations/refuse-unseen.ts'
import type { ChannelPlace } from '../operations/authorize.ts'
import { optionalText } from '../operations/optional-text.ts'
import type { Tx } from '../operations/transaction.ts'
import { ownChannel } from './own-channels.ts'

export async function updateChannel(
  tx: Tx,
  input: Input<typeof api.updateChannel>,
  { channelId }: ChannelPlace,
): Promise<OwnChannel> {
  const before = await ownChannel(tx, channelId)
  refuseUnseen(before, input.seen)
  const name = input.name?.trim()
  const description = optionalText(input.description)
  const { open, showModerators } = input

  const changes = changesOf(before, { name, description, open, showModerators })
  if (Object.keys(changes).length === 0) return before

  await tx.db
    .updateTable('channels')
    .set((eb) => ({
      // The picture shows the initials until one is uploaded.
      ...('name' in changes && { name, avatar_version: eb('avatar_version', '+', 1) }),
      description,
      open,
      show_moderators: showModerators,
    }))
    .where('id', '=', channelId)
    .execute()
  const after = await ownChannel(tx, channelId)
  tx.audit({ action: 'channel.updated', channelId, target: after, details: changes })
  return after
}

/** The checklist of a new channel ends: some steps may not suit everyone. */
export async function hideChannelChecklist(tx: Tx, channelId: string): Promise<void> {
  await tx.db.updateTable('channels').set({ first_steps_hidden: true }).where('id', '=', channelId).execute()
}
