import { queryOptions } from '@tanstack/svelte-query'
import { call } from '#api.ts'

/** One's own roles and rights on a channel. */
export function standingQuery(channelId: string) {
  return queryOptions({
    queryKey: ['of-channel', channelId, 'standing'],
    queryFn: ({ signal }) => call('GET /channels/:channelId/standing', { channelId }, { signal }),
  })
}
