import { queryOptions } from '@tanstack/svelte-query'
import { api } from '#api.ts'

/** One's own roles and rights on a channel. */
export function channelPermissionsQuery(channelId: string) {
  return queryOptions({
    queryKey: ['of-channel', channelId, 'standing'],
    queryFn: ({ signal }) => api.getPermissions({ channelId }, { signal }),
  })
}
