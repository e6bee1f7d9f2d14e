import { queryOptions } from '@tanstack/svelte-query'
import { api } from '#api/api.ts'

export const sessionsQuery = queryOptions({
  queryKey: ['own-sessions'],
  queryFn: async ({ signal }) => (await api.listSessions({}, { signal })).sessions,
  staleTime: 0,
})

export const consentsQuery = queryOptions({
  queryKey: ['own-consents'],
  queryFn: async ({ signal }) => (await api.listConsents({}, { signal })).consents,
  staleTime: 0,
})

export const deletionQuery = queryOptions({
  queryKey: ['own-deletion'],
  queryFn: ({ signal }) => api.getAccountDeletion({}, { signal }),
  staleTime: 0,
})
