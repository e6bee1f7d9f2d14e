import type { OwnChannel } from '@portico/contract'
import { queryOptions } from '@tanstack/svelte-query'
import { api } from '#api.ts'

/** The account's channels in the order of joining. */
export const channelsQuery = queryOptions({
  queryKey: ['channels'],
  queryFn: async ({ signal }) => {
    const all: OwnChannel[] = []
    for (;;) {
      const afterId = all.at(-1)?.id
      const { channels, hasMore } = await api.listChannels({ ...(afterId && { afterId }) }, { signal })
      all.push(...channels)
      if (!hasMore) return all
    }
  },
})

export const openChannelsQuery = queryOptions({
  queryKey: ['open-channels'],
  queryFn: async ({ signal }) => (await api.listOpenChannels({}, { signal })).channels,
})
