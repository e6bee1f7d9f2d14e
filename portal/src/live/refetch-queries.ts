import type { InvalidateQueryFilters, QueryClient } from '@tanstack/svelte-query'

/**
 * Refetches queries that may be stale. A running request is restarted, since its answer may be stale too; the first
 * request of a query is followed by a second one instead.
 */
export async function refetchQueries(client: QueryClient, filters: InvalidateQueryFilters): Promise<void> {
  const loading = client.getQueryCache().findAll({ ...filters, fetchStatus: 'fetching' })
  const first = loading.filter(({ state }) => state.data === undefined)
  const after = first.map(async ({ queryKey, promise }) => {
    await promise?.catch(() => undefined)
    await client.invalidateQueries({ queryKey, exact: true })
  })
  await Promise.all([client.invalidateQueries(filters), ...after])
}
