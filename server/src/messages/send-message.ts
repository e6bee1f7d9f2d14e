import { messageCreated, type Input, type Message } from '@portico/contract'
import type * as api from '@portico/contract'
import { authorOf } from '../actor.ts'
import { newId } from '../ids.ts'
import type { RoomPlace } from '../members/access.ts'
import type { Tx } from '../transaction.ts'
import { requireMessage } from './message.ts'
import { onceOnly } from './once-only.ts'

export async function sendMessage(tx: Tx, input: Input<typeof api.sendMessage>, room: RoomPlace): Promise<Message> {
  const { text } = input
  const replyToId = input.replyToId?.toLowerCase()
  const author = authorOf(tx.actor)
  const message: Message = {
    id: newId(),
    text,
    createdAt: new Date().toISOString(),
    author,
    ...(replyToId !== undefined && { replyToId }),
  }
  return onceOnly(tx, author.id, { roomId: room.roomId, text, replyToId }, message, async () => {
    if (replyToId !== undefined) await requireMessage(tx, room, replyToId)
    await tx.charge()
    tx.along(
      tx.db.insertInto('messages').values({
        id: message.id,
        channel_id: room.channelId,
        room_id: room.roomId,
        author_id: author.id,
        text,
        reply_to_id: replyToId ?? null,
        created_at: message.createdAt,
      }),
    )
    tx.emit(messageCreated, room, { roomId: room.roomId, message })
  })
}
