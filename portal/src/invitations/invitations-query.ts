import { queryOptions } from '@tanstack/svelte-query'
import { api } from '#api/api.ts'

/** The valid invitations: all of the channel's, or the account's own. */
export function invitationsQuery(channelId: string) {
  return queryOptions({
    queryKey: ['of-channel', channelId, 'invitations'],
    queryFn: async ({ signal }) => (await api.listInvitations({ channelId }, { signal })).invitations,
  })
}
