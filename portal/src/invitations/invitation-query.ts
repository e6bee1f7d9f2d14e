import { queryOptions } from '@tanstack/svelte-query'
import { call } from '#api.ts'

export function invitationQuery(code: string) {
  return queryOptions({
    queryKey: ['invitation', code],
    queryFn: ({ signal }) => call('GET /invitations/:code', { code }, { signal }),
  })
}
