import { queryOptions } from '@tanstack/svelte-query'
import { api } from '#api.ts'

/** The links that work now: all of the channel, or one's own. */
export function invitationsQuery(channelId: string) {
  return queryOptions({
    queryKey: ['of-channel', channelId, 'invitations'],
    queryFn: async ({ signal }) => (await api.listInvitations({ channelId }, { signal })).invitations,
  })
}
