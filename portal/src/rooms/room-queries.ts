import { queryOptions } from '@tanstack/svelte-query'
import { call } from '#api.ts'

export function roomsQuery(channelId: string) {
  return queryOptions({
    queryKey: ['rooms', channelId],
    queryFn: ({ signal }) => call('GET /channels/:channelId/rooms', { channelId }, { signal }),
  })
}
