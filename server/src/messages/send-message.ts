import { textsOfCards, type Input, type Message, type Speaker } from '@portico/contract'
import type * as api from '@portico/contract'
import { invokedCommands } from '../commands/invoked-commands.ts'
import { memberOf } from '../operations/actor.ts'
import type { RoomPlace } from '../operations/authorize.ts'
import { withIdempotency } from '../operations/idempotency.ts'
import type { Tx } from '../operations/transaction.ts'
import { appendMessage, type MessageExtras } from './append-message.ts'
import { groupsToNotify, mentionedIn, mentionedInCards, namesIn } from './mentions.ts'
import { quoteOf, withNamesIn } from './room-messages.ts'

export async function sendMessage(tx: Tx, input: Input<typeof api.sendMessage>, room: RoomPlace): Promise<Message> {
  const { text, replyToId } = input
  return sendOnce(tx, room, { text, replyToId: replyToId?.toLowerCase(), extras: extrasOf(tx, input) })
}

interface SentMessage {
  readonly text: string
  readonly replyToId: string | undefined
  readonly extras: MessageExtras
  /** What else is checked before a message is sent for the first time. */
  readonly check?: () => Promise<void>
}

/** A repetition with the same key gets the first answer. */
export async function sendOnce(
  tx: Tx,
  room: RoomPlace,
  { text, replyToId, extras, check }: SentMessage,
): Promise<Message> {
  const { cards } = extras
  const request = { roomId: room.roomId, text, replyToId, ...extras }
  return withIdempotency<Message>(tx, memberOf(tx.actor).id, request, async (idempotencyKey) => {
    const quote = replyToId === undefined ? undefined : await quoteOf(tx, room, replyToId)
    const texts = [text, ...(quote ? [quote.text] : []), ...textsOfCards(cards ?? [])]
    const names = await namesIn(tx, room.channelId, texts)
    const mentionedGroups = groupsToNotify(text, room, names)
    const forBots = await invokedCommands(tx, room, text)
    await check?.()
    await tx.charge()
    const shown = {
      author: speakerOf(tx, room),
      ...(quote && { replyTo: withNamesIn(quote, names) }),
      mentions: mentionedIn(text, names),
      ...(mentionedGroups.length > 0 && { mentionedGroups }),
      ...mentionedInCards(cards, names),
    }
    return appendMessage(tx, room, { text, replyToId, extras, mentionedGroups, shown, forBots, idempotencyKey })
  })
}

/** What only bots send; an empty list is the same as none. */
function extrasOf({ actor }: Tx, { cards = [], components = [] }: Input<typeof api.sendMessage>): MessageExtras {
  if (actor.kind !== 'bot') return {}
  return { ...(cards.length > 0 && { cards }), ...(components.length > 0 && { components }) }
}

/** The actor as the author of a row. */
export function speakerOf(tx: Tx, { nickname, roles }: RoomPlace): Speaker {
  const { kind, id, name, avatar, avatarVersion } = memberOf(tx.actor)
  const roleIds = roles.map((role) => role.id)
  return { id, name, channelNickname: nickname, avatar, avatarVersion, isBot: kind === 'bot', roleIds }
}
