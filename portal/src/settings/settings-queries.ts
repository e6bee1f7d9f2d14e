import { queryOptions } from '@tanstack/svelte-query'
import { call } from '#api.ts'

export const sessionsQuery = queryOptions({
  queryKey: ['own-sessions'],
  queryFn: async ({ signal }) => (await call('GET /sessions', {}, { signal })).sessions,
  staleTime: 0,
})

export const consentsQuery = queryOptions({
  queryKey: ['own-consents'],
  queryFn: async ({ signal }) => (await call('GET /account/consents', {}, { signal })).consents,
  staleTime: 0,
})

export const deletionQuery = queryOptions({
  queryKey: ['own-deletion'],
  queryFn: ({ signal }) => call('GET /account/deletion', {}, { signal }),
  staleTime: 0,
})
