import { infiniteQueryOptions } from '@tanstack/svelte-query'
import { api } from '#api/api.ts'

export interface Wanted {
  readonly q: string
  readonly roomId?: string | undefined
  readonly authorId?: string | undefined
}

export function searchQuery(channelId: string, { q, roomId, authorId }: Wanted) {
  return infiniteQueryOptions({
    // Not refetched with the channel: results must not move while someone reads them.
    queryKey: ['search', channelId, q, roomId, authorId],
    queryFn: ({ pageParam, signal }) =>
      api.searchMessages(
        {
          channelId,
          q,
          ...(roomId && { roomId }),
          ...(authorId && { authorId }),
          ...(pageParam && { beforeId: pageParam }),
        },
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: ({ nextBeforeId }) => nextBeforeId,
    enabled: q !== '',
  })
}
