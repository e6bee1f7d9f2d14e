import type { QueryClient } from '@tanstack/svelte-query'
import { channelsQuery } from '#channels/channel-queries.ts'
import { roomsQuery } from '#rooms/room-queries.ts'

/** Refetches everything about a channel after one's own change: the event may come later, or not at all. */
export async function refreshChannel(client: QueryClient, channelId: string): Promise<void> {
  await Promise.all([
    client.invalidateQueries(channelsQuery),
    client.invalidateQueries(roomsQuery(channelId)),
    client.invalidateQueries({ queryKey: ['of-channel', channelId] }),
  ])
}
