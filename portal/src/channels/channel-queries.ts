import type { OwnChannel } from '@portico/contract'
import { queryOptions } from '@tanstack/svelte-query'
import { api } from '#api/api.ts'

/** The account's channels in its own order. */
export const channelsQuery = queryOptions({
  queryKey: ['channels'],
  queryFn: async ({ signal }) => {
    // By id: a page may repeat a channel that was moved meanwhile.
    const all = new Map<string, OwnChannel>()
    let afterId: string | undefined
    for (;;) {
      const { channels, hasMore } = await api.listChannels({ ...(afterId && { afterId }) }, { signal })
      for (const channel of channels) all.set(channel.id, channel)
      if (!hasMore) return [...all.values()]
      afterId = channels.at(-1)?.id
    }
  },
})

export const openChannelsQuery = queryOptions({
  queryKey: ['open-channels'],
  queryFn: async ({ signal }) => (await api.listOpenChannels({}, { signal })).channels,
})
