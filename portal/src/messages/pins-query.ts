import { queryOptions } from '@tanstack/svelte-query'
import { call } from '#api.ts'

/** The pinned messages of a room, last pinned first. */
export function pinsQuery({ channelId, roomId }: { channelId: string; roomId: string }) {
  return queryOptions({
    queryKey: ['of-channel', channelId, 'pins', roomId],
    queryFn: async ({ signal }) => (await call('GET /rooms/:roomId/pins', { channelId, roomId }, { signal })).messages,
  })
}
