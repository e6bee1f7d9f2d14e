import type { getApplicationUsage, Output } from '@portico/contract'

type Used = Output<typeof getApplicationUsage>['requests']

/** How much of a quota is still used some milliseconds after it was fetched, if nothing was used since. */
export function usageAfter({ freeing }: Pick<Used, 'freeing'>, milliseconds: number): number {
  return freeing.slice(Math.max(0, Math.floor(milliseconds / 1000))).reduce((sum, places) => sum + places, 0)
}
