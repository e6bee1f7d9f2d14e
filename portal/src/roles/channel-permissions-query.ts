import { queryOptions } from '@tanstack/svelte-query'
import { api } from '#api/api.ts'

/** The account's roles and rights in a channel. */
export function channelPermissionsQuery(channelId: string) {
  return queryOptions({
    queryKey: ['of-channel', channelId, 'permissions'],
    queryFn: ({ signal }) => api.getPermissions({ channelId }, { signal }),
  })
}
