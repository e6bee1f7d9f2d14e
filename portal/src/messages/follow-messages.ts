import { subscribe, onConnected, onEventsMissed } from '#live/live.svelte.ts'
import { conversations, type ConversationState } from './conversations.svelte.ts'
import type { MemberUpdate } from './message-changes.ts'
import type { MessageEvent } from './message-window.svelte.ts'

/** What happens to messages. */
export const MESSAGE_EVENTS = [
  'message.created',
  'message.updated',
  'message.deleted',
  'reaction.added',
  'reaction.removed',
  'message.pinned',
  'message.unpinned',
] as const satisfies readonly MessageEvent[]

/** A missed message may be one that this page sent and whose answer was lost. */
async function catchUp({ history, outbox }: ConversationState): Promise<void> {
  const known = new Set(history.messages.map(({ id }) => id))
  await history.catchUp()
  for (const message of history.messages) if (!known.has(message.id)) outbox.recognize(message)
  outbox.forgetShown()
}

function showMember(channelId: string, member: MemberUpdate): void {
  for (const { history } of conversations.values()) if (history.channelId === channelId) history.showMember(member)
}

/** Applies events to the conversations they belong to. Returns a function that stops and drops all conversations. */
export function followMessages(): () => void {
  const stops = [
    ...MESSAGE_EVENTS.map((name) =>
      subscribe(name, (event) => {
        const conversation = conversations.get(event.data.roomId)
        conversation?.history.apply(event)
        if (!conversation || event.event !== 'message.created') return
        const message = conversation.history.messages.find(({ id }) => id === event.data.message.id)
        if (message) conversation.outbox.recognize(message)
      }),
    ),
    subscribe('member.changed', ({ channelId, data: { member } }) => showMember(channelId, member)),
    subscribe('member.joined', ({ channelId, data: { userId, roleIds = [] } }) =>
      showMember(channelId, { id: userId, roleIds }),
    ),
    subscribe('member.left', ({ channelId, data: { userId } }) => showMember(channelId, { id: userId, roleIds: [] })),
    onConnected(() => {
      for (const conversation of conversations.values()) {
        conversation.outbox.hurry()
        // The log contains what has happened since this page was opened, not since the copy was made.
        if (conversation.history.isCopy) void catchUp(conversation)
      }
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
