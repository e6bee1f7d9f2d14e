import { queryOptions } from '@tanstack/svelte-query'
import { call } from '#api.ts'

/** What every room sets for itself: overrides and admissions, for those who look after rooms or roles. */
export function roomAccessQuery(channelId: string) {
  return queryOptions({
    queryKey: ['of-channel', channelId, 'room-access'],
    queryFn: async ({ signal }) =>
      (await call('GET /channels/:channelId/room-access', { channelId }, { signal })).rooms,
  })
}
