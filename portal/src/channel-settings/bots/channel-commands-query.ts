import { queryOptions } from '@tanstack/svelte-query'
import { call } from '#api.ts'

/** The commands of all bots on a channel. */
export function channelCommandsQuery(channelId: string) {
  return queryOptions({
    queryKey: ['of-channel', channelId, 'commands'],
    queryFn: async ({ signal }) =>
      (await call('GET /channels/:channelId/commands', { channelId }, { signal })).commands,
  })
}
