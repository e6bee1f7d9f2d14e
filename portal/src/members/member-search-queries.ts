import { infiniteQueryOptions, queryOptions } from '@tanstack/svelte-query'
import { api } from '#api/api.ts'

interface Wanted {
  readonly text: string
  readonly roleId?: string | undefined
  readonly limit?: number
}

/** The first matching members of a channel. */
export function memberSearchQuery(channelId: string, { text, limit = 50 }: Wanted) {
  return queryOptions({
    queryKey: ['of-channel', channelId, 'found-members', text, limit],
    queryFn: ({ signal }) => api.findMembers({ channelId, text, limit }, { signal }),
  })
}

/** The same for a private room, with who can see it. */
export function roomMemberSearchQuery(channelId: string, roomId: string, { text, limit = 50 }: Wanted) {
  return queryOptions({
    queryKey: ['of-channel', channelId, 'found-members', text, limit, roomId],
    queryFn: ({ signal }) => api.findRoomMembers({ roomId, text, limit }, { signal }),
  })
}

/** All matching members of a channel, page by page. */
export function memberPagesQuery(channelId: string, { text, roleId, limit = 50 }: Wanted) {
  return infiniteQueryOptions({
    queryKey: ['of-channel', channelId, 'member-pages', text, roleId ?? '', limit],
    queryFn: ({ pageParam, signal }) =>
      api.findMembers(
        { channelId, text, limit, ...(roleId && { roleId }), ...(pageParam && { afterId: pageParam }) },
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: ({ members, hasMore }) => (hasMore ? members.at(-1)?.id : undefined),
  })
}
