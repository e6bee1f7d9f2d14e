import { messageCreated, type EventShown, type Message } from '@portico/contract'
import { ID_PLACEHOLDER, TIME_PLACEHOLDER } from '../events/placeholders.ts'
import type { ForBots } from '../events/read-settled.ts'
import { authorOf } from '../operations/actor.ts'
import type { RoomPlace } from '../operations/authorize.ts'
import type { Tx } from '../operations/transaction.ts'
import { fileIdsOf } from './file-ids-of.ts'
import { insertMessage } from './insert-message.ts'
import { mentionsOf } from './mentions.ts'

/** What messages of bots can have in addition. */
export type MessageExtras = Pick<Message, 'cards' | 'components' | 'streaming'>

interface NewMessage {
  readonly text: string
  readonly replyToId: string | undefined
  readonly extras: MessageExtras
  readonly mentionedGroups: readonly string[]
  readonly shown: EventShown<typeof messageCreated>
  readonly forBots: ForBots | null
  /** The message is stored as the response to the request with this key. */
  readonly idempotencyKey: string | undefined
}

/**
 * Appends a message of the actor to a room, together with its event. Returns it as the caller gets it: its id and time are
 * assigned with the commit, and must not be read before.
 */
export function appendMessage(tx: Tx, room: RoomPlace, added: NewMessage): Message {
  const { text, replyToId, extras, mentionedGroups, shown, forBots, idempotencyKey } = added
  const message: Message = {
    id: ID_PLACEHOLDER,
    text,
    createdAt: TIME_PLACEHOLDER,
    author: authorOf(tx.actor),
    ...(replyToId !== undefined && { replyToId }),
    ...extras,
  }
  const insert = insertMessage({
    message,
    isRead: tx.actor.kind === 'person',
    mentionedIds: mentionsOf(text),
    mentionedGroups,
    fileIds: fileIdsOf(text, extras.cards),
    idempotencyKey,
  })
  tx.emit(messageCreated, room, { roomId: room.roomId, message }, { ...insert, shown, forBots, assignTo: message })
  return message
}
