import { queryOptions } from '@tanstack/svelte-query'
import { api } from '#api/api.ts'

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/** When and why the account was removed from a channel; null if it wasn't. */
export function removalQuery(channelId: string) {
  return queryOptions({
    queryKey: ['removal', channelId],
    queryFn: async ({ signal }) =>
      UUID.test(channelId) ? (await api.getRemoval({ channelId }, { signal })).removal : null,
  })
}
