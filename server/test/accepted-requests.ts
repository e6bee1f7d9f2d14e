import { LIMITS } from '@portico/contract'
import { expect } from 'vitest'

/** A request that was accepted at some time between these two, in milliseconds. */
export interface AcceptedRequest {
  readonly sent: number
  readonly answered: number
}

/** Fails if more than `limit` requests were certainly accepted within one window of `length` milliseconds. */
export function expectWithinLimit(accepted: readonly AcceptedRequest[], limit: number, length: number): void {
  for (const first of accepted) {
    const within = accepted.filter(({ sent, answered }) => sent >= first.sent && answered < first.sent + length)
    expect(within.length).toBeLessThanOrEqual(limit)
  }
}

/** Sends many requests of a bot to several nodes at once, more than its quota together with the next call. */
export async function askAtOnce(
  nodes: readonly { readonly url: string }[],
  { key }: { readonly key: string },
): Promise<AcceptedRequest[]> {
  const responses = Array.from({ length: Math.ceil(LIMITS.requestQuota * 0.7) }, async (_, index) => {
    const sent = performance.now()
    const at = `${nodes[index % nodes.length]?.url}/api/v1/me`
    const { status } = await fetch(at, { headers: { authorization: `Bot ${key}` } })
    // While Redis is away, nodes of a busy machine may not agree on where to count before the deadline.
    expect([200, 429, 504]).toContain(status)
    return status === 200 ? [{ sent, answered: performance.now() }] : []
  })
  return (await Promise.all(responses)).flat()
}

/** Fails if a bot with the usual quota was certainly accepted more often than that in some minute. */
export function expectWithinQuota(accepted: readonly AcceptedRequest[]): void {
  expectWithinLimit(accepted, LIMITS.requestQuota, LIMITS.quotaWindow * 1000)
}
