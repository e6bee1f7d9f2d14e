import { infiniteQueryOptions, queryOptions } from '@tanstack/svelte-query'
import { api } from '#api.ts'

/** How many of those offline come at a time: all of most channels. */
const PAGE = 300

/** Everybody who is online, and of the others a page at a time, by name. */
export function membersQuery(channelId: string) {
  return infiniteQueryOptions({
    queryKey: ['of-channel', channelId, 'members'],
    queryFn: ({ pageParam, signal }) =>
      api.listMembersByName({ channelId, limit: PAGE, ...(pageParam && { afterId: pageParam }) }, { signal }),
    initialPageParam: '',
    getNextPageParam: ({ members, hasMore }) => (hasMore ? members.findLast(({ online }) => !online)?.id : undefined),
  })
}

/** One member, with what the asker may do to them. */
export function memberQuery(channelId: string, userId: string) {
  return queryOptions({
    queryKey: ['of-channel', channelId, 'member', userId],
    queryFn: ({ signal }) => api.getMember({ channelId, userId }, { signal }),
  })
}
