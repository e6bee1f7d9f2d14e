import type { Account, Right, RoomMessage } from '@portico/contract'
import { createContext } from 'svelte'
import type { Composing } from './composing.svelte.ts'
import type { History } from './history.svelte.ts'
import type { Outbox } from './outbox.svelte.ts'

/** What every part of one conversation knows. Getters: all of it may change while it is shown. */
export interface ConversationContext {
  readonly account: Account
  /** Oneself, as the rows of own messages show it. */
  readonly me: RoomMessage['author']
  readonly history: History
  readonly outbox: Outbox
  readonly composing: Composing
  may(right: Right): boolean
  /** The address of a message, for links. */
  addressOf(messageId: string): string
  /** Shows a message wherever it is in the room, tinted for a moment. */
  jumpTo(messageId: string): void
  /** The message that is being edited in its place. */
  readonly editing: string | undefined
  edit(message: RoomMessage | undefined): void
  reply(message: RoomMessage): void
  /** Opens the emoji picker beside an element. */
  pickEmoji(from: HTMLElement, picked: (emoji: string) => void): void
  askToDelete(message: RoomMessage): void
  /** Shows who somebody is, beside an element. Absent: names are words only. */
  readonly onperson: ((id: string, from: HTMLElement) => void) | undefined
}

const [conversation, setConversation] = createContext<ConversationContext>()

export { conversation, setConversation }
