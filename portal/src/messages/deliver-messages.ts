import type { QueryClient } from '@tanstack/svelte-query'
import { acceptedTextToSend } from '#completion/text-to-send.ts'
import { onConnected } from '#live/live.svelte.ts'
import { Delivery, type TextToSend } from './delivery.ts'
import { storedMessages } from './outbox-store.ts'
import { conversationOf, onConversationOpened } from './conversations.svelte.ts'

/**
 * Sends what is written on this page, and what earlier pages and closed tabs couldn't send. Returns a function that
 * stops.
 */
export function deliverMessages(client: QueryClient, myId: string): () => void {
  const toSend: TextToSend = ({ channelId, roomId }, typed) => acceptedTextToSend(client, { channelId, roomId }, typed)
  let stopped = false
  const openRooms = async (): Promise<void> => {
    const stored = (await storedMessages(myId)) ?? []
    const rooms = new Map(stored.map(({ channelId, roomId }) => [roomId, { channelId, roomId }]))
    if (!stopped) for (const room of rooms.values()) conversationOf(room, { id: myId })
  }
  const stops = [
    onConversationOpened(({ outbox }) => outbox.deliverWith(new Delivery(outbox, toSend))),
    onConnected(() => void openRooms()),
  ]
  void openRooms()
  return () => {
    stopped = true
    for (const stop of stops) stop()
  }
}
