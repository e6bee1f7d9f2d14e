import { messageCreated, type Input, type Message } from '@portico/contract'
import type * as api from '@portico/contract'
import { authorOf } from '../actor.ts'
import { newId } from '../ids.ts'
import type { RoomPlace } from '../members/access.ts'
import type { Tx } from '../transaction.ts'
import { requireMessage } from './message.ts'
import { onceOnly } from './once-only.ts'

const INSERT = `
  INSERT INTO messages (id, channel_id, room_id, author_id, text, reply_to_id, created_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7)`

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
    const { channelId, roomId } = room
    const row = [message.id, channelId, roomId, author.id, text, replyToId ?? null, message.createdAt]
    tx.emit(messageCreated, room, { roomId, message }, { sql: INSERT, parameters: row })
  })
}
