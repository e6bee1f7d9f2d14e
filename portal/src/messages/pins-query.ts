import { queryOptions } from '@tanstack/svelte-query'
import { api } from '#api/api.ts'

/** The pinned messages of a room, last pinned first. */
export function pinsQuery({ channelId, roomId }: { channelId: string; roomId: string }) {
  return queryOptions({
    queryKey: ['of-channel', channelId, 'pins', roomId],
    queryFn: async ({ signal }) => (await api.listPins({ channelId, roomId }, { signal })).messages,
  })
}
