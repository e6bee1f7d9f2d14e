import { queryOptions } from '@tanstack/svelte-query'
import { call } from '#api.ts'

export function rolesQuery(channelId: string) {
  return queryOptions({
    queryKey: ['of-channel', channelId, 'roles'],
    queryFn: async ({ signal }) => (await call('GET /channels/:channelId/roles', { channelId }, { signal })).roles,
  })
}
