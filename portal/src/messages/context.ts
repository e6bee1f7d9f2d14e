import type { Account, Right, RoleColor, RoomMessage } from '@portico/contract'
import { createContext } from 'svelte'
import type { Composing } from '#completion/composing.svelte.ts'
import type { History } from './history.svelte.ts'
import type { Outbox } from './outbox.svelte.ts'

/** What all components of one conversation share. Getters, because everything may change while it is shown. */
export interface ConversationContext {
  readonly account: Account
  /** The account as the author of its own rows. */
  readonly me: RoomMessage['author']
  readonly history: History
  readonly outbox: Outbox
  readonly composing: Composing
  may(right: Right): boolean
  /** Whether a message mentions the account, one of its roles, or everyone. */
  mentionsMe(message: RoomMessage): boolean
  /** The color of the name of someone with these roles. */
  colorOf(roleIds: readonly string[] | undefined): RoleColor | undefined
  /** The URL of a message, for links. */
  addressOf(messageId: string): string
  /** Scrolls to a message anywhere in the room and highlights it briefly. */
  jumpTo(messageId: string): void
  /** Keeps the reader's position when a message grows, even at the end of the list. */
  stay(): void
  /** The message that is being edited in place. */
  readonly editing: string | undefined
  edit(message: RoomMessage | undefined): void
  reply(message: RoomMessage): void
  /** Marks the room as unread from a message on, until it is opened again. */
  markUnread(message: RoomMessage): Promise<void>
  /** Opens the emoji picker next to an element. */
  pickEmoji(from: HTMLElement, picked: (emoji: string) => void): void
  askToDelete(message: RoomMessage): void
  /** Opens a profile next to an element. Absent: names are plain text. */
  readonly onperson: ((id: string, from: HTMLElement) => void) | undefined
}

const [conversation, setConversation] = createContext<ConversationContext>()

export { conversation, setConversation }
