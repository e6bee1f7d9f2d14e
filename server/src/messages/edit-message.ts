import { LIMITS, messageUpdated, type Input, type Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import { authorOf } from '../operations/actor.ts'
import type { RoomPlace } from '../operations/authorize.ts'
import { cannot, Refusal } from '../operations/refusal.ts'
import type { Tx } from '../operations/transaction.ts'
import { mentionedIn, namesIn, withdrawMentions } from './mentions.ts'

export async function editMessage(
  tx: Tx,
  { messageId, text }: Input<typeof api.editMessage>,
  room: RoomPlace,
): Promise<Output<typeof api.editMessage>> {
  const author = authorOf(tx.actor)
  const own = await tx.db
    .selectFrom('messages')
    .select(sql<boolean>`created_at < now() - make_interval(secs => ${LIMITS.editSeconds})`.as('tooOld'))
    .where('id', '=', messageId)
    .where('room_id', '=', room.roomId)
    .where('author_id', '=', author.id)
    .where('deleted_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
  if (!own) throw notYourMessage()
  if (own.tooOld) throw cannot('Messages can be edited for 30 minutes.', 'too_old_to_edit')

  const editedAt = new Date().toISOString()
  const id = messageId.toLowerCase()
  tx.queue(tx.db.updateTable('messages').set({ text, edited_at: editedAt }).where('id', '=', id))
  withdrawMentions(tx, id, text)
  const mentions = mentionedIn(text, await namesIn(tx, room.channelId, [text]))
  tx.emit(
    messageUpdated,
    room,
    { roomId: room.roomId, message: { id, text, editedAt, author } },
    { shown: { mentions } },
  )
  return { id, text, editedAt }
}

/** The same answer for someone else's, deleted and unknown messages, so that ids can't be probed. */
export function notYourMessage(): Refusal {
  return new Refusal('forbidden', {
    message: 'You have no such message in this room.',
    reason: 'not_your_message',
  })
}
