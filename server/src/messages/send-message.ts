import type { Input, Message, Speaker } from '@portico/contract'
import type * as api from '@portico/contract'
import { memberOf } from '../operations/actor.ts'
import type { RoomPlace } from '../operations/authorize.ts'
import { withIdempotency } from '../operations/idempotency.ts'
import type { Tx } from '../operations/transaction.ts'
import { appendMessage } from './append-message.ts'
import { groupsToNotify, mentionedIn, namesIn } from './mentions.ts'
import { quoteOf, withNamesIn } from './room-messages.ts'

export async function sendMessage(tx: Tx, input: Input<typeof api.sendMessage>, room: RoomPlace): Promise<Message> {
  const { text } = input
  const replyToId = input.replyToId?.toLowerCase()
  const request = { roomId: room.roomId, text, replyToId }
  return withIdempotency<Message>(tx, memberOf(tx.actor).id, request, async (idempotencyKey) => {
    const quote = replyToId === undefined ? undefined : await quoteOf(tx, room, replyToId)
    const names = await namesIn(tx, room.channelId, quote ? [text, quote.text] : [text])
    const mentionedGroups = groupsToNotify(text, room, names)
    await tx.charge()
    const shown = {
      author: speakerOf(tx, room),
      ...(quote && { replyTo: withNamesIn(quote, names) }),
      mentions: mentionedIn(text, names),
      ...(mentionedGroups.length > 0 && { mentionedGroups }),
    }
    return appendMessage(tx, room, { text, replyToId, mentionedGroups, shown, idempotencyKey })
  })
}

function speakerOf(tx: Tx, { nickname, roles }: RoomPlace): Speaker {
  const { kind, id, name, avatar, avatarVersion } = memberOf(tx.actor)
  const roleIds = roles.map((role) => role.id)
  return { id, name, channelNickname: nickname, avatar, avatarVersion, isBot: kind === 'bot', roleIds }
}
