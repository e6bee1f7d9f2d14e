import { LIMITS } from '@portico/contract'

declare module '../operations/services.ts' {
  interface Services {
    readonly quotas: Quotas
  }
}

/** A place in a window, with how many are left, or how long to wait for one. */
export type Taken = { readonly giveBack: () => void; readonly remaining: number } | { readonly retryAfterSec: number }

/**
 * Exact sliding windows: never more than `limit` requests are accepted within any 60 seconds. `window-quotas.ts` counts in
 * this process, `redis-quotas.ts` over all nodes of a cluster.
 */
export interface Quotas {
  /** Takes a place for the subject; a refusal takes none. */
  take(subject: string, limit: number): Promise<Taken>
  /** How many places are left. Costs a round trip in a cluster, where the answer of `take` already says it. */
  remaining(subject: string, limit: number): number | Promise<number>
  /** How many of the taken places become free in each second from now on. */
  freeing(subject: string): Promise<readonly number[]>
}

/** What is counted, and the most that is accepted in a window. */
export interface Quota {
  readonly subject: string
  readonly limit: number
}

export interface ApplicationQuotas {
  readonly requests: Quota
  readonly writes: Quota
}

/** The quotas of an application: the defaults, unless the operator has set others. */
export function quotasOf(
  applicationId: string,
  set: { readonly requestLimit: number | null; readonly writeLimit: number | null },
): ApplicationQuotas {
  return {
    requests: { subject: `requests ${applicationId}`, limit: set.requestLimit ?? LIMITS.requestQuota },
    writes: { subject: `writes ${applicationId}`, limit: set.writeLimit ?? LIMITS.writeQuota },
  }
}
