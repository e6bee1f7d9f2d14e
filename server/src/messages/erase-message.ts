import { messageDeleted } from '@portico/contract'
import { sql } from 'kysely'
import type { Webhooks } from '../applications/webhooks.ts'
import type { Change } from '../events/emit-event.ts'
import { TIME_PLACEHOLDER } from '../events/placeholders.ts'
import type { RoomPlace } from '../operations/authorize.ts'
import { removeFromAnswer } from '../operations/idempotency.ts'
import type { Tx } from '../operations/transaction.ts'
import { withdrawMentions } from '../unread/unread-mentions.ts'
import { changeFiles, mayHaveFiles } from '../uploads/message-files.ts'
import { redactMessage } from './redact-message.ts'

export interface ErasableMessage {
  readonly id: string
  readonly authorId: string
  readonly authorName: string
  readonly hasFiles: boolean
  readonly hasExtras: boolean
}

/** A message that is not deleted, locked. */
export function lockErasable(tx: Tx, messageId: string) {
  return tx.db
    .selectFrom('messages as m')
    .innerJoin('accounts as a', 'a.id', 'm.author_id')
    .select(['m.id', 'm.room_id as roomId', 'a.id as authorId', 'a.name as authorName', mayHaveFiles.as('hasFiles')])
    .select(sql<boolean>`m.cards IS NOT NULL OR m.components IS NOT NULL`.as('hasExtras'))
    .where('m.id', '=', messageId)
    .where('m.deleted_at', 'is', null)
    .forUpdate('m')
}

/** Deletes a message: its text, cards and buttons leave the history, the event log, deliveries, files and what is unread. */
export async function eraseMessage(
  tx: Tx,
  webhooks: Webhooks,
  room: RoomPlace,
  { id, authorId, authorName, hasFiles, hasExtras }: ErasableMessage,
): Promise<void> {
  tx.queue(tx.db.deleteFrom('reactions').where('message_id', '=', id))
  withdrawMentions(tx, id, [])
  if (hasFiles) changeFiles(tx, room, { id, authorId, files: [] })
  if (hasExtras) removeFromAnswer(tx, authorId, { id, fields: ['cards', 'components'] })
  await redactMessage(tx, webhooks, { channelId: room.channelId, messageId: id })
  tx.emit(
    messageDeleted,
    room,
    { roomId: room.roomId, message: { id, deletedAt: TIME_PLACEHOLDER, author: { id: authorId, name: authorName } } },
    { change: DELETION, values: [id] },
  )
}

/** For the audit log, if it isn’t the author who deletes it. */
export function auditErasure(
  tx: Tx,
  { channelId, roomId }: RoomPlace,
  { id, authorId, authorName }: ErasableMessage,
  reason?: string,
): void {
  const target = { id: authorId, name: authorName }
  tx.audit({ action: 'message.deleted', channelId, target, reason, details: { messageId: id, roomId } })
}

const DELETION: Change = {
  columns: { message_id: 'uuid' },
  writes: [
    `UPDATE messages m SET text = '', cards = NULL, components = NULL, deleted_at = appended.at, pinned_at = NULL
    FROM appended WHERE m.id = appended.message_id`,
  ],
}
