import { queryOptions, type QueryClient } from '@tanstack/svelte-query'
import type { Account } from '@portico/contract'
import { api, Refused } from '#api.ts'
import { forget } from '#local-storage.ts'

export const sessionKey = ['session'] as const

/** Who is signed in; null when nobody is. */
export const sessionQuery = queryOptions({
  queryKey: sessionKey,
  queryFn: async ({ signal }): Promise<Account | null> => {
    try {
      const { account } = await api.getSession({}, { signal })
      return account
    } catch (error) {
      if (error instanceof Refused && error.httpStatus === 401) return null
      throw error
    }
  },
  staleTime: 5 * 60_000,
})

export const instanceQuery = queryOptions({
  queryKey: ['instance'],
  queryFn: ({ signal }) => api.getInstance({}, { signal }),
  staleTime: 5 * 60_000,
})

/** Nothing that was cached for an earlier person, or for nobody, is shown to the one who comes in. */
export function enter(client: QueryClient, account: Account): void {
  client.setQueryData(sessionKey, account)
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] })
}

/** Nothing of the person is left: neither unsent messages in the browser nor, since the next page is loaded anew, in memory. */
export async function leave(next = '/sign-in'): Promise<void> {
  try {
    await api.signOut({})
  } catch (error) {
    if (!(error instanceof Refused && error.httpStatus === 401)) throw error
  }
  forget('unsent')
  location.assign(next)
}
