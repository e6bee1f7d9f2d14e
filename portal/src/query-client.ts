import { QueryCache, QueryClient } from '@tanstack/svelte-query'
import { Refused } from '#api.ts'
import { sessionKey } from '#accounts/session.ts'

/** A refusal will not change by asking again; anything else may pass. */
function worthAnotherTry(failures: number, error: unknown): boolean {
  return failures < 2 && !(error instanceof Refused && error.httpStatus < 500)
}

export function createQueryClient(): QueryClient {
  const client = new QueryClient({
    defaultOptions: {
      // A browser that believes itself offline is asked all the same: the server may be on this very machine.
      queries: { retry: worthAnotherTry, staleTime: 30_000, networkMode: 'always' },
    },
    queryCache: new QueryCache({
      // The session ended elsewhere: the shell notices that nobody is signed in and asks to sign in again.
      onError: (error) => {
        if (error instanceof Refused && error.httpStatus === 401) client.setQueryData(sessionKey, null)
      },
    }),
  })
  return client
}
