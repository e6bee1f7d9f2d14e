import { queryOptions } from '@tanstack/svelte-query'
import { api } from '#api.ts'

/** What every room sets for itself: overrides and admissions, for those who look after rooms or roles. */
export function roomAccessQuery(channelId: string) {
  return queryOptions({
    queryKey: ['of-channel', channelId, 'room-access'],
    queryFn: async ({ signal }) => (await api.listRoomAccess({ channelId }, { signal })).rooms,
  })
}
