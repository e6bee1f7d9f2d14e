import type { Input, Right } from '@portico/contract'
import type * as api from '@portico/contract'
import { authorOf } from '../operations/actor.ts'
import { missingRight } from '../operations/access-refusals.ts'
import type { RoomPlace } from '../operations/authorize.ts'
import type { Services } from '../operations/services.ts'
import type { Tx } from '../operations/transaction.ts'
import { auditErasure, eraseMessage, lockErasable } from './erase-message.ts'
import { notYourMessage } from './own-message.ts'

export async function deleteMessage(
  tx: Tx,
  { messageId }: Input<typeof api.deleteMessage>,
  room: RoomPlace,
  { webhooks }: Pick<Services, 'webhooks'>,
): Promise<null> {
  const message = await lockErasable(tx, messageId).where('m.room_id', '=', room.roomId).executeTakeFirst()
  const own = message?.authorId === authorOf(tx.actor).id
  refuseDeleting(tx, room, own)
  if (!message) throw notYourMessage()
  await tx.charge()

  await eraseMessage(tx, webhooks, room, message)
  if (!own) auditErasure(tx, room, message)
  return null
}

/** Bots delete only their own messages; people with the right also those of others. */
function refuseDeleting(tx: Tx, { rights }: RoomPlace, own: boolean): void {
  const any: Right = 'delete_text_msg_any'
  if (!own && tx.actor.kind === 'person' && rights.has(any)) return
  if (!rights.has('delete_text_msg_you_own')) throw missingRight('delete_text_msg_you_own')
  if (!own) throw notYourMessage()
}
