import { queryOptions } from '@tanstack/svelte-query'
import { api } from '#api/api.ts'

export function roomsQuery(channelId: string) {
  return queryOptions({
    queryKey: ['rooms', channelId],
    queryFn: ({ signal }) => api.listRooms({ channelId }, { signal }),
  })
}
