import { messageCreated, type Input, type Message, type Speaker } from '@portico/contract'
import type * as api from '@portico/contract'
import { authorOf, memberOf } from '../actor.ts'
import { newId } from '../ids.ts'
import type { RoomPlace } from '../members/access.ts'
import { noteOwnMessage } from '../reading/mark-read.ts'
import type { Tx } from '../transaction.ts'
import { mentionedIn, namesIn, recordMentions } from './mentions.ts'
import { onceOnly } from './once-only.ts'
import { quoteOf, withNamesIn } from './room-messages.ts'

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
    const quote = replyToId === undefined ? undefined : await quoteOf(tx, room, replyToId)
    const names = await namesIn(tx, room.channelId, quote ? [text, quote.text] : [text])
    await tx.charge()
    const { channelId, roomId } = room
    const row = [message.id, channelId, roomId, author.id, text, replyToId ?? null, message.createdAt]
    const shown = {
      author: speakerOf(tx, room),
      ...(quote && { replyTo: withNamesIn(quote, names) }),
      mentions: mentionedIn(text, names),
    }
    tx.emit(messageCreated, room, { roomId, message }, { change: { sql: INSERT, parameters: row }, shown })
    recordMentions(tx, room, message.id, text)
    noteOwnMessage(tx, room, message.id)
  })
}

function speakerOf(tx: Tx, { nickname }: RoomPlace): Speaker {
  const { kind, id, name, avatar, avatarVersion } = memberOf(tx.actor)
  return { id, name, channelNickname: nickname, avatar, avatarVersion, isBot: kind === 'bot' }
}
