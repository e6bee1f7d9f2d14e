import type { QueryClient } from '@tanstack/svelte-query'
import { textToSend } from '#completion/text-to-send.ts'
import { Delivery, type TextToSend } from './delivery.ts'
import { storedMessages } from './outbox-store.ts'
import { conversationOf, onConversationOpened } from './conversations.svelte.ts'

/** Sends what is written on this page, and what an earlier page couldn't send. Returns a function that stops. */
export function deliverMessages(client: QueryClient, myId: string): () => void {
  const toSend: TextToSend = ({ channelId, roomId }, typed) => textToSend(client, { channelId, roomId }, typed)
  const stop = onConversationOpened(({ outbox }) => outbox.deliverWith(new Delivery(outbox, toSend)))
  const rooms = new Map(storedMessages(myId).map(({ channelId, roomId }) => [roomId, { channelId, roomId }]))
  for (const room of rooms.values()) conversationOf(room, { id: myId })
  return stop
}
