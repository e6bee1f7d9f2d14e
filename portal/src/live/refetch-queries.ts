import type { InvalidateQueryFilters, QueryClient } from '@tanstack/svelte-query'

/**
 * Reads queries again, because what they show may be old. So may an answer that is still on its way: a request that is
 * running is begun again, except for the first one of a query, which is read once more when it has come.
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
