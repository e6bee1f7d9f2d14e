import type { OwnChannel } from '@portico/contract'
import type { QueryClient } from '@tanstack/svelte-query'
import { channelsQuery } from './channel-queries.ts'
import { inOrder } from './in-order.ts'

/** Shows channels in an order that the server has stored. */
export function applyChannelOrder(client: QueryClient, channelIds: readonly string[]): void {
  client.setQueryData(channelsQuery.queryKey, (known) => known && inOrder(known, channelIds))
  // A list that was requested before would bring the former order back.
  if (client.isFetching(channelsQuery) > 0) void client.invalidateQueries(channelsQuery)
}

/** The ids of channels after one of them has moved to a place, counted from 0. Undefined if it can't move there. */
export function moveChannel(channels: readonly OwnChannel[], channelId: string, to: number): string[] | undefined {
  const ids = channels.map(({ id }) => id)
  const from = ids.indexOf(channelId)
  if (from < 0 || to === from || to < 0 || to >= ids.length) return undefined
  ids.splice(to, 0, ...ids.splice(from, 1))
  return ids
}
