import { queryOptions } from '@tanstack/svelte-query'
import { api } from '#api/api.ts'

/** What has been done to set up the portal. */
export const firstStepsQuery = queryOptions({
  queryKey: ['first-steps'],
  queryFn: ({ signal }) => api.getFirstSteps({}, { signal }),
})

/** What has been done to set up a channel. Refetched when anything in the channel changes. */
export function channelFirstStepsQuery(channelId: string) {
  return queryOptions({
    queryKey: ['of-channel', channelId, 'first-steps'],
    queryFn: ({ signal }) => api.getChannelFirstSteps({ channelId }, { signal }),
  })
}
