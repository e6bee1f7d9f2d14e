import { queryOptions } from '@tanstack/svelte-query'
import { api } from '#api/api.ts'

export function installationsQuery(channelId: string) {
  return queryOptions({
    queryKey: ['of-channel', channelId, 'installations'],
    queryFn: async ({ signal }) => (await api.listInstallations({ channelId }, { signal })).installations,
  })
}
