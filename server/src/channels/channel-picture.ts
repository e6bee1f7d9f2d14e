import type { Input, OwnChannel } from '@portico/contract'
import type * as api from '@portico/contract'
import type { ChannelPlace } from '../operations/authorize.ts'
import { dropPicture, initialsFile, keepPicture, pictureFile } from '../pictures/keep-picture.ts'
import type { Tx } from '../operations/transaction.ts'
import { ownChannel } from './own-channels.ts'

export async function setChannelPicture(
  tx: Tx,
  { picture }: Input<typeof api.setChannelPicture> & { picture: string },
  { channelId, channelName }: ChannelPlace,
): Promise<OwnChannel> {
  await keepPicture(tx, { channel_id: channelId }, picture)
  await setImage(tx, channelId, pictureFile(channelId))
  tx.audit({ action: 'channel.picture_set', channelId, target: { id: channelId, name: channelName } })
  return ownChannel(tx, channelId)
}

export async function removeChannelPicture(
  tx: Tx,
  _input: Input<typeof api.removeChannelPicture>,
  { channelId, channelName }: ChannelPlace,
): Promise<OwnChannel> {
  if (await dropPicture(tx, { channel_id: channelId })) {
    await setImage(tx, channelId, initialsFile(channelId))
    tx.audit({ action: 'channel.picture_removed', channelId, target: { id: channelId, name: channelName } })
  }
  return ownChannel(tx, channelId)
}

async function setImage(tx: Tx, channelId: string, image: string): Promise<void> {
  await tx.db
    .updateTable('channels')
    .set((eb) => ({ image, avatar_version: eb('avatar_version', '+', 1) }))
    .where('id', '=', channelId)
    .execute()
}
