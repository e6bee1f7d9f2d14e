import type { QueryClient } from '@tanstack/svelte-query'
import { channelsQuery } from '#channels/channel-queries.ts'
import { keepDraft, replyIn } from '#drafts/drafts.svelte.ts'
import { conversations } from '#messages/conversations.svelte.ts'
import { roomsQuery } from '#rooms/room-queries.ts'

/**
 * Forgets the messages of rooms that the account can’t see anymore, and the replies that quote them: what happens there
 * meanwhile isn't announced to it, so they would be out of date when it sees the room again. Returns a function that stops.
 */
export function forgetHiddenRooms(client: QueryClient, myId: string): () => void {
  const isHidden = (channelId: string, roomId: string): boolean => {
    const channels = client.getQueryData(channelsQuery.queryKey)
    const list = client.getQueryData(roomsQuery(channelId).queryKey)
    return channels?.every(({ id }) => id !== channelId) || list?.rooms.every(({ id }) => id !== roomId) || false
  }
  return client.getQueryCache().subscribe(({ type, query: { queryKey } }) => {
    if (type !== 'updated' || (queryKey[0] !== 'rooms' && queryKey[0] !== channelsQuery.queryKey[0])) return
    for (const [roomId, { history }] of conversations) {
      if (!isHidden(history.channelId, roomId)) continue
      history.forget()
      keepDraft(myId, replyIn(roomId), [])
    }
  })
}
