import { queryOptions } from '@tanstack/svelte-query'
import { api } from '#api/api.ts'

/** The overrides and admissions of every room, for members who manage rooms or roles. */
export function roomAccessQuery(channelId: string) {
  return queryOptions({
    queryKey: ['of-channel', channelId, 'room-access'],
    queryFn: async ({ signal }) => (await api.listRoomAccess({ channelId }, { signal })).rooms,
  })
}
