import type { Account } from '@portico/contract'
import { subscribe, onConnected, onEventsMissed } from '#live/live.svelte.ts'
import { History } from './history.svelte.ts'
import type { MemberUpdate } from './message-changes.ts'
import type { MessageEvent } from './message-window.svelte.ts'
import { Outbox } from './outbox.svelte.ts'

/** How many rooms stay in memory. Of the others only drafts remain. */
const MAX_ROOMS = 12

const EVENTS = [
  'message.created',
  'message.updated',
  'message.deleted',
  'reaction.added',
  'reaction.removed',
  'message.pinned',
  'message.unpinned',
] as const satisfies readonly MessageEvent[]

/** What this page has of a room: its messages and its outbox. */
export interface ConversationState {
  readonly history: History
  readonly outbox: Outbox
}

/** By room, least recently used first. */
const conversations = new Map<string, ConversationState>()
let opened: ((conversation: ConversationState) => void) | undefined

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
  const history = new History(place, myId)
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

/** A missed message may be one that this page sent and whose answer was lost. */
async function catchUp({ history, outbox }: ConversationState): Promise<void> {
  const known = new Set(history.messages.map(({ id }) => id))
  await history.catchUp()
  for (const message of history.messages) if (!known.has(message.id)) outbox.recognise(message)
  outbox.forgetShown()
}

function showMember(channelId: string, member: MemberUpdate): void {
  for (const { history } of conversations.values()) if (history.channelId === channelId) history.showMember(member)
}

/** Applies events to the conversations they belong to. Returns a function that stops and drops all conversations. */
export function followMessages(): () => void {
  const stops = [
    ...EVENTS.map((name) =>
      subscribe(name, (event) => {
        const conversation = conversations.get(event.data.roomId)
        conversation?.history.apply(event)
        if (!conversation || event.event !== 'message.created') return
        const message = conversation.history.messages.find(({ id }) => id === event.data.message.id)
        if (message) conversation.outbox.recognise(message)
      }),
    ),
    subscribe('member.changed', ({ channelId, data: { member } }) => showMember(channelId, member)),
    subscribe('member.joined', ({ channelId, data: { userId, roleIds = [] } }) =>
      showMember(channelId, { id: userId, roleIds }),
    ),
    subscribe('member.left', ({ channelId, data: { userId } }) => showMember(channelId, { id: userId, roleIds: [] })),
    onConnected(() => {
      for (const { outbox } of conversations.values()) outbox.hurry()
    }),
    onEventsMissed(() => {
      for (const conversation of conversations.values()) void catchUp(conversation)
    }),
  ]
  return () => {
    for (const stop of stops) stop()
    for (const { outbox } of conversations.values()) outbox.close()
    conversations.clear()
  }
}
