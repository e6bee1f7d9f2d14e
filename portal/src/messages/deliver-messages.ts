import { Delivery } from './delivery.ts'
import { storedMessages } from './outbox-store.ts'
import { conversationOf, onConversationOpened } from './conversations.svelte.ts'

/** Sends what is written on this page, and what an earlier page couldn't send. Returns a function that stops. */
export function deliverMessages(myId: string): () => void {
  const stop = onConversationOpened(({ outbox }) => outbox.deliverWith(new Delivery(outbox)))
  const rooms = new Map(storedMessages(myId).map(({ channelId, roomId }) => [roomId, { channelId, roomId }]))
  for (const room of rooms.values()) conversationOf(room, { id: myId })
  return stop
}
