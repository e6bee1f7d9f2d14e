import { Delivery } from './delivery.ts'
import { storedMessages } from './outbox-store.ts'
import { conversationOf, onConversationOpened } from './conversations.svelte.ts'

/** Sends what is written on this page, and in any room what an earlier page could not send. Gives the way to stop. */
export function deliverMessages(myId: string): () => void {
  // Loaded ahead: it is shown when there may be no connection to load it over. If this fails, it is loaded when needed.
  import('./UnsentNotice.svelte').catch(() => undefined)
  const stop = onConversationOpened(({ outbox }) => outbox.deliverWith(new Delivery(outbox)))
  const rooms = new Map(storedMessages(myId).map(({ channelId, roomId }) => [roomId, { channelId, roomId }]))
  for (const room of rooms.values()) conversationOf(room, { id: myId })
  return stop
}
