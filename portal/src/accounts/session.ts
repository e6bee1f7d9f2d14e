import { queryOptions } from '@tanstack/svelte-query'
import type { Account } from '@portico/contract'
import { api } from '#api.ts'

const STALE_AFTER_MS = 5 * 60_000

export const sessionKey = ['session'] as const

/** The signed-in account, or null. */
export const sessionQuery = queryOptions({
  queryKey: sessionKey,
  queryFn: async ({ signal }): Promise<Account | null> => (await api.getSession({}, { signal }))?.account ?? null,
  staleTime: STALE_AFTER_MS,
})

export const instanceQuery = queryOptions({
  queryKey: ['instance'],
  queryFn: ({ signal }) => api.getInstance({}, { signal }),
  staleTime: STALE_AFTER_MS,
})
