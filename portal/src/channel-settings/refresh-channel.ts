import type { QueryClient } from '@tanstack/svelte-query'
import { channelsQuery } from '#channels/channel-queries.ts'
import { roomsQuery } from '#rooms/room-queries.ts'

/** Reads everything about a channel anew after a change of one's own: the event of it may come later, or not at all. */
export async function refreshChannel(client: QueryClient, channelId: string): Promise<void> {
  await Promise.all([
    client.invalidateQueries(channelsQuery),
    client.invalidateQueries(roomsQuery(channelId)),
    client.invalidateQueries({ queryKey: ['of-channel', channelId] }),
  ])
}
