import { queryOptions } from '@tanstack/svelte-query'
import { api } from '#api/api.ts'

export function invitationQuery(code: string) {
  return queryOptions({
    queryKey: ['invitation', code],
    queryFn: ({ signal }) => api.getInvitation({ code }, { signal }),
  })
}
