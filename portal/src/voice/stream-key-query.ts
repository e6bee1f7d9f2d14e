import { queryOptions } from '@tanstack/svelte-query'
import { api } from '#api/api.ts'

/** What is known of the account's stream key for a room. Refetched when anything in the channel changes. */
export function streamKeyQuery({ channelId, roomId }: { channelId: string; roomId: string }) {
  return queryOptions({
    queryKey: ['of-channel', channelId, 'stream-key', roomId],
    queryFn: ({ signal }) => api.getStreamKey({ roomId }, { signal }),
  })
}
