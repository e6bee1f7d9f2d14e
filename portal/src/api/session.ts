import { queryOptions, type QueryClient } from '@tanstack/svelte-query'
import type { Account } from '@portico/contract'
import { api, Refused } from './api.ts'

const STALE_AFTER_MS = 5 * 60_000
/** After this time a page shows what was last read in this browser, like early.js. */
const TIMEOUT_MS = 6000

type OpenCopy = (client: QueryClient) => Promise<Account | undefined>

let openCopy: OpenCopy = async () => undefined

/** Sets how a page that can't reach the server opens what was last read in this browser. */
export function openCopyWith(open: OpenCopy): void {
  openCopy = open
}

export const sessionKey = ['session'] as const

/** The signed-in account, or null. */
export const sessionQuery = queryOptions({
  queryKey: sessionKey,
  queryFn: async ({ client, signal }): Promise<Account | null> => {
    try {
      return (await api.getSession({}, { signal, timeoutMs: TIMEOUT_MS }))?.account ?? null
    } catch (error) {
      if (signal.aborted) throw error
      return accountFromCopy(client, error)
    }
  },
  staleTime: STALE_AFTER_MS,
})

/** A page that can't reach the server shows what was last read in this browser. Fails with the error if that is nothing. */
export async function accountFromCopy(client: QueryClient, error: unknown): Promise<Account> {
  if (error instanceof Refused || client.getQueryData(sessionKey) !== undefined) throw error
  const account = await openCopy(client)
  if (!account) throw error
  return account
}

export const instanceQuery = queryOptions({
  queryKey: ['instance'],
  queryFn: ({ signal }) => api.getInstance({}, { signal }),
  staleTime: STALE_AFTER_MS,
})
