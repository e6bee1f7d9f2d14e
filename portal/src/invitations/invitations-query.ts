import { queryOptions } from '@tanstack/svelte-query'
import { call } from '#api.ts'

/** The links that work now: all of the channel, or one's own. */
export function invitationsQuery(channelId: string) {
  return queryOptions({
    queryKey: ['of-channel', channelId, 'invitations'],
    queryFn: async ({ signal }) =>
      (await call('GET /channels/:channelId/invitations', { channelId }, { signal })).invitations,
  })
}
