import { queryOptions } from '@tanstack/svelte-query'
import { api } from '#api/api.ts'

/**
 * When and why the session of this browser ended; null if there is nothing to say. Read each time that the sign-in page is
 * shown, because another session may have ended since.
 */
export const sessionEndQuery = queryOptions({
  queryKey: ['session-end'],
  queryFn: async ({ signal }) => (await api.getSessionEnd({}, { signal })).end,
  staleTime: 0,
  gcTime: 0,
})
