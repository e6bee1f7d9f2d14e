import { queryOptions } from '@tanstack/svelte-query'
import { api } from '#api/api.ts'

export function rolesQuery(channelId: string) {
  return queryOptions({
    queryKey: ['of-channel', channelId, 'roles'],
    queryFn: async ({ signal }) => (await api.listRoles({ channelId }, { signal })).roles,
  })
}
