import { queryOptions } from '@tanstack/svelte-query'
import { call } from '#api.ts'

export function installationsQuery(channelId: string) {
  return queryOptions({
    queryKey: ['of-channel', channelId, 'installations'],
    queryFn: async ({ signal }) =>
      (await call('GET /channels/:channelId/applications', { channelId }, { signal })).installations,
  })
}
