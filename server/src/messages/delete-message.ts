import { messageDeleted, type Input, type Right } from '@portico/contract'
import type * as api from '@portico/contract'
import type { Change } from '../events/emit-event.ts'
import { TIME_PLACEHOLDER } from '../events/placeholders.ts'
import { authorOf } from '../operations/actor.ts'
import { missingRight } from '../operations/access-refusals.ts'
import type { RoomPlace } from '../operations/authorize.ts'
import type { Services } from '../operations/services.ts'
import type { Tx } from '../operations/transaction.ts'
import { withdrawMentions } from '../unread/unread-mentions.ts'
import { changeFiles, mayHaveFiles } from '../uploads/message-files.ts'
import { redactMessage } from './redact-message.ts'
import { notYourMessage } from './edit-message.ts'

export async function deleteMessage(
  tx: Tx,
  { messageId }: Input<typeof api.deleteMessage>,
  room: RoomPlace,
  { webhooks }: Pick<Services, 'webhooks'>,
): Promise<null> {
  const message = await tx.db
    .selectFrom('messages as m')
    .innerJoin('accounts as a', 'a.id', 'm.author_id')
    .select(['m.id', 'a.id as authorId', 'a.name as authorName', mayHaveFiles.as('hasFiles')])
    .where('m.id', '=', messageId)
    .where('m.room_id', '=', room.roomId)
    .where('m.deleted_at', 'is', null)
    .forUpdate('m')
    .executeTakeFirst()
  const own = message?.authorId === authorOf(tx.actor).id
  refuseDeleting(tx, room, own)
  if (!message) throw notYourMessage()
  await tx.charge()

  const { id, authorId, authorName, hasFiles } = message
  tx.queue(tx.db.deleteFrom('reactions').where('message_id', '=', id))
  withdrawMentions(tx, id, [])
  if (hasFiles) changeFiles(tx, room, { id, authorId, text: '' })
  await redactMessage(tx, webhooks, { channelId: room.channelId, messageId: id })
  tx.emit(
    messageDeleted,
    room,
    { roomId: room.roomId, message: { id, deletedAt: TIME_PLACEHOLDER, author: { id: authorId, name: authorName } } },
    { change: DELETION, values: [id] },
  )
  if (!own) {
    const target = { id: authorId, name: authorName }
    tx.audit({
      action: 'message.deleted',
      channelId: room.channelId,
      target,
      details: { messageId: id, roomId: room.roomId },
    })
  }
  return null
}

const DELETION: Change = {
  columns: { message_id: 'uuid' },
  writes: [
    `UPDATE messages m SET text = '', deleted_at = appended.at, pinned_at = NULL
    FROM appended WHERE m.id = appended.message_id`,
  ],
}

/** Bots delete only their own messages; people with the right also those of others. */
function refuseDeleting(tx: Tx, { rights }: RoomPlace, own: boolean): void {
  const any: Right = 'delete_text_msg_any'
  if (!own && tx.actor.kind === 'person' && rights.has(any)) return
  if (!rights.has('delete_text_msg_you_own')) throw missingRight('delete_text_msg_you_own')
  if (!own) throw notYourMessage()
}
