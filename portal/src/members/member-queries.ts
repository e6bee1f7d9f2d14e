import { infiniteQueryOptions, queryOptions } from '@tanstack/svelte-query'
import { api } from '#api/api.ts'

/** Offline members per page: enough for most channels. */
const PAGE = 300

/** All online members, and the others page by page, by name. */
export function membersQuery(channelId: string) {
  return infiniteQueryOptions({
    queryKey: ['of-channel', channelId, 'members'],
    queryFn: ({ pageParam, signal }) =>
      api.listMembersByName({ channelId, limit: PAGE, ...(pageParam && { afterId: pageParam }) }, { signal }),
    initialPageParam: '',
    getNextPageParam: ({ members, hasMore }) => (hasMore ? members.findLast(({ online }) => !online)?.id : undefined),
  })
}

/** Those who can see a private room, like the members of a channel. Its key begins with theirs. */
export function roomReadersQuery(channelId: string, roomId: string) {
  return infiniteQueryOptions({
    queryKey: [...membersQuery(channelId).queryKey, roomId],
    queryFn: ({ pageParam, signal }) =>
      api.listRoomReaders({ roomId, limit: PAGE, ...(pageParam && { afterId: pageParam }) }, { signal }),
    initialPageParam: '',
    getNextPageParam: ({ members, hasMore }) => (hasMore ? members.findLast(({ online }) => !online)?.id : undefined),
  })
}

/** A member, with what the reader may do to them. */
export function memberQuery(channelId: string, userId: string) {
  return queryOptions({
    queryKey: ['of-channel', channelId, 'member', userId],
    queryFn: ({ signal }) => api.getMember({ channelId, userId }, { signal }),
  })
}
