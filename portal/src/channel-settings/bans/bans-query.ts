import { infiniteQueryOptions } from '@tanstack/svelte-query'
import { api } from '#api/api.ts'

/** The bans of a channel, newest first, page by page. */
export function bansQuery(channelId: string) {
  return infiniteQueryOptions({
    queryKey: ['of-channel', channelId, 'bans'],
    queryFn: ({ pageParam, signal }) =>
      api.listBans({ channelId, ...(pageParam && { beforeId: pageParam }) }, { signal }),
    initialPageParam: '',
    getNextPageParam: ({ bans, hasMore }) => (hasMore ? bans.at(-1)?.id : undefined),
  })
}
