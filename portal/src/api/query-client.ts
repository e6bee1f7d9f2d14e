import {
  type InvalidateOptions,
  type InvalidateQueryFilters,
  type Query,
  QueryCache,
  type QueryCacheNotifyEvent,
  QueryClient,
} from '@tanstack/svelte-query'
import { untrack } from 'svelte'
import { Refused } from './api.ts'
import { sessionKey } from './session.ts'

/** Events keep most data current, so it is read again only after a while. */
const STALE_AFTER_MS = 30_000

/** A longer wait, as after too many wrong passwords, is shown to the reader instead. */
const LONGEST_WAIT_SEC = 60
const MAX_WAITS = 10
const MAX_RETRIES = 2

/** How long to wait after too many requests, in milliseconds. */
export function waitOf(error: unknown): number | undefined {
  if (!(error instanceof Refused) || error.httpStatus !== 429) return undefined
  const { retryAfterSec = 1 } = error.body
  return retryAfterSec <= LONGEST_WAIT_SEC ? retryAfterSec * 1000 : undefined
}

/** A refusal stays a refusal, unless it says when to ask again; anything else may be temporary. */
export function isFinal(error: unknown): boolean {
  return error instanceof Refused && error.httpStatus < 500 && waitOf(error) === undefined
}

function worthAnotherTry(failures: number, error: unknown): boolean {
  return failures < (waitOf(error) === undefined ? MAX_RETRIES : MAX_WAITS) && !isFinal(error)
}

/** Random, so that the queries of a page don't all ask again at the same moment. */
function pauseBefore(failures: number, error: unknown): number {
  return (waitOf(error) ?? 1000 * 2 ** failures) * (1 + Math.random() / 4)
}

/**
 * An event that arrives during the first request of a query may be missing from the answer. TanStack Query would treat
 * the answer as fresh even though the query was invalidated meanwhile, so it is fetched again.
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

/**
 * Queries start inside the effect of a component, and everyone who listens to the cache is called there. What a listener
 * reads must not become a dependency of that effect: one that reads and writes the same state would run it forever.
 */
class UntrackedQueryCache extends QueryCache {
  override notify(event: QueryCacheNotifyEvent): void {
    untrack(() => super.notify(event))
  }
}

export function createQueryClient(): QueryClient {
  const client = new LiveQueryClient({
    defaultOptions: {
      // Browsers that believe they are offline still try: the server may be on this machine.
      queries: {
        retry: worthAnotherTry,
        retryDelay: pauseBefore,
        staleTime: STALE_AFTER_MS,
        networkMode: 'always',
        // By default a property that nobody has read yet isn't updated, and `a.data && b.data` would show an old `b`.
        notifyOnChangeProps: 'all',
      },
    },
    queryCache: new UntrackedQueryCache({
      onSuccess: (_, query) => client.answered(query),
      // The session ended elsewhere: the shell sees that nobody is signed in and shows the sign-in page.
      onError: (error) => {
        if (error instanceof Refused && error.httpStatus === 401) client.setQueryData(sessionKey, null)
      },
    }),
  })
  return client
}
