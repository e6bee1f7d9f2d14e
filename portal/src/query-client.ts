import {
  type InvalidateOptions,
  type InvalidateQueryFilters,
  type Query,
  QueryCache,
  QueryClient,
} from '@tanstack/svelte-query'
import { Refused } from '#api.ts'
import { sessionKey } from '#accounts/session.ts'

/** A refusal will not change by asking again; anything else may pass. */
function worthAnotherTry(failures: number, error: unknown): boolean {
  return failures < 2 && !(error instanceof Refused && error.httpStatus < 500)
}

/**
 * What happens while something is asked for the first time may be missing in the answer. The library takes that answer for
 * fresh nevertheless, whatever was said meanwhile: it is asked for once more.
 */
class LiveQueryClient extends QueryClient {
  readonly #overtaken = new WeakSet<object>()

  override invalidateQueries(filters: InvalidateQueryFilters = {}, options?: InvalidateOptions): Promise<void> {
    for (const query of this.getQueryCache().findAll({ ...filters, fetchStatus: 'fetching' })) {
      if (query.state.data === undefined) this.#overtaken.add(query)
    }
    return super.invalidateQueries(filters, options)
  }

  answered(query: Pick<Query<unknown, unknown>, 'queryKey'>): void {
    if (this.#overtaken.delete(query)) void this.invalidateQueries({ queryKey: query.queryKey, exact: true })
  }
}

export function createQueryClient(): QueryClient {
  const client = new LiveQueryClient({
    defaultOptions: {
      // A browser that believes itself offline is asked all the same: the server may be on this very machine.
      queries: { retry: worthAnotherTry, staleTime: 30_000, networkMode: 'always' },
    },
    queryCache: new QueryCache({
      onSuccess: (_, query) => client.answered(query),
      // The session ended elsewhere: the shell notices that nobody is signed in and asks to sign in again.
      onError: (error) => {
        if (error instanceof Refused && error.httpStatus === 401) client.setQueryData(sessionKey, null)
      },
    }),
  })
  return client
}
