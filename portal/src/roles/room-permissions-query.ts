import { queryOptions } from '@tanstack/svelte-query'
import { call } from '#api.ts'

/** What the person may do in a room now. Read anew when anything about the channel changes. */
export function standingQuery({ channelId, roomId }: { channelId: string; roomId: string }) {
  return queryOptions({
    queryKey: ['of-channel', channelId, 'standing', roomId],
    queryFn: ({ signal }) => call('GET /rooms/:roomId/standing', { roomId }, { signal }),
  })
}
