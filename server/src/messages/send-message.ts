import { fileIdsIn, messageCreated, type Input, type Message, type Speaker } from '@portico/contract'
import type * as api from '@portico/contract'
import { authorOf, memberOf } from '../operations/actor.ts'
import { NEW_ID, NEW_TIME } from '../events/emit-event.ts'
import type { RoomPlace } from '../operations/authorize.ts'
import type { Tx } from '../operations/transaction.ts'
import { insertMessage } from './insert-message.ts'
import { groupsToNotify, mentionedIn, mentionsOf, namesIn } from './mentions.ts'
import { withIdempotency } from '../operations/idempotency.ts'
import { quoteOf, withNamesIn } from './room-messages.ts'

export async function sendMessage(tx: Tx, input: Input<typeof api.sendMessage>, room: RoomPlace): Promise<Message> {
  const { channelId, roomId } = room
  const { text } = input
  const replyToId = input.replyToId?.toLowerCase()
  const author = authorOf(tx.actor)
  return withIdempotency<Message>(tx, author.id, { roomId, text, replyToId }, async (key) => {
    const quote = replyToId === undefined ? undefined : await quoteOf(tx, room, replyToId)
    const names = await namesIn(tx, channelId, quote ? [text, quote.text] : [text])
    const mentionedGroups = groupsToNotify(text, room, names)
    await tx.charge()
    const message: Message = {
      id: NEW_ID,
      text,
      createdAt: NEW_TIME,
      author,
      ...(replyToId !== undefined && { replyToId }),
    }
    const shown = {
      author: speakerOf(tx, room),
      ...(quote && { replyTo: withNamesIn(quote, names) }),
      mentions: mentionedIn(text, names),
      ...(mentionedGroups.length > 0 && { mentionedGroups }),
    }
    const insert = insertMessage({
      message,
      isRead: tx.actor.kind === 'person',
      mentionedIds: mentionsOf(text),
      mentionedGroups,
      fileIds: fileIdsIn(text),
      idempotencyKey: key,
    })
    tx.emit(
      messageCreated,
      room,
      { roomId, message },
      {
        ...insert,
        shown,
        onAppended: ({ id, at }) => {
          message.id = id
          message.createdAt = at
        },
      },
    )
    return message
  })
}

function speakerOf(tx: Tx, { nickname, roles }: RoomPlace): Speaker {
  const { kind, id, name, avatar, avatarVersion } = memberOf(tx.actor)
  const roleIds = roles.map((role) => role.id)
  return { id, name, channelNickname: nickname, avatar, avatarVersion, isBot: kind === 'bot', roleIds }
}
