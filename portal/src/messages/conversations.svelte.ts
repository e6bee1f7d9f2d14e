import type { Account } from '@portico/contract'
import { History, type FindCopy } from './history.svelte.ts'
import { Outbox } from './outbox.svelte.ts'

/** How many rooms stay in memory. Of the others only drafts remain. */
const MAX_ROOMS = 12

/** What this page has of a room: its messages and its outbox. */
export interface ConversationState {
  readonly history: History
  readonly outbox: Outbox
}

/** By room, least recently used first. */
export const conversations = new Map<string, ConversationState>()
let opened: ((conversation: ConversationState) => void) | undefined

let findCopy: FindCopy | undefined

/** Sets how a room that can't be loaded finds what this browser has stored of it. */
export function findCopiesWith(find: FindCopy): void {
  findCopy = find
}

export function conversationOf(
  place: { channelId: string; roomId: string },
  { id }: Pick<Account, 'id'>,
): ConversationState {
  const conversation = conversations.get(place.roomId) ?? createConversation(place, id)
  conversations.delete(place.roomId)
  conversations.set(place.roomId, conversation)
  for (const [roomId, { outbox }] of [...conversations].slice(0, -MAX_ROOMS)) {
    if (outbox.unsent.length > 0) continue
    outbox.close()
    conversations.delete(roomId)
  }
  return conversation
}

function createConversation(place: { channelId: string; roomId: string }, myId: string): ConversationState {
  const history = new History(place, myId, findCopy)
  const conversation = { history, outbox: new Outbox(history, myId) }
  opened?.(conversation)
  return conversation
}

/** Calls the handler for each conversation in memory, now and later. Returns a function that stops. */
export function onConversationOpened(handler: (conversation: ConversationState) => void): () => void {
  opened = handler
  for (const conversation of conversations.values()) handler(conversation)
  return () => {
    opened = undefined
  }
}
