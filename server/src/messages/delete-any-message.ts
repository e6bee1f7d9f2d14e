import type { Input } from '@portico/contract'
import type * as api from '@portico/contract'
import { refuseUnlessBelow } from '../members/load-member.ts'
import { missingRight, noMessageHere } from '../operations/access-refusals.ts'
import { authorize, type ChannelPlace, type RoomPlace } from '../operations/authorize.ts'
import { Refusal } from '../operations/refusal.ts'
import type { Services } from '../operations/services.ts'
import type { Tx } from '../operations/transaction.ts'
import { auditErasure, eraseMessage, lockErasable } from './erase-message.ts'

const RIGHT = 'delete_text_msg_any'

/** Deletes a message of someone who ranks below, as a moderator does. The right counts in the room of the message. */
export async function deleteAnyMessage(
  tx: Tx,
  { messageId, reason }: Input<typeof api.deleteAnyMessage>,
  channel: ChannelPlace,
  services: Pick<Services, 'database' | 'webhooks'>,
): Promise<null> {
  const { channelId } = channel
  const message = await lockErasable(tx, messageId).where('m.channel_id', '=', channelId).executeTakeFirst()
  const room = message && (await findRoom(tx, services, { channelId, roomId: message.roomId }))
  const { rights } = room ?? channel
  if (!rights.has(RIGHT)) throw missingRight(RIGHT)
  if (!room) throw noMessageHere()
  await refuseUnlessBelow(tx, channel, message.authorId)

  await eraseMessage(tx, services.webhooks, room, message)
  auditErasure(tx, room, message, reason)
  return null
}

/** Undefined for a room that the bot can’t see: a message there gets the same answer as one that doesn’t exist. */
async function findRoom(
  tx: Tx,
  services: Pick<Services, 'database'>,
  place: { readonly channelId: string; readonly roomId: string },
): Promise<RoomPlace | undefined> {
  try {
    return (await authorize(services, tx.actor, place, { room: ['text'] }, { tx })) as RoomPlace
  } catch (error) {
    if (error instanceof Refusal && error.code === 'unprocessable') return undefined
    throw error
  }
}
