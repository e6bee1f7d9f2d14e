import type { QueryClient, QueryKey } from '@tanstack/svelte-query'
import type { Throttle } from './throttle.ts'

/** What a feature needs to keep its cached queries up to date with events. */
export interface Following {
  readonly client: QueryClient
  readonly isOneself: (userId: string) => boolean
  /** Refetches the queries whose key begins with this one: at once, and then not again before a while. */
  readonly refetch: (queryKey: QueryKey) => void
  /** Does the same for other work. */
  readonly throttle: Throttle
}

/** Keeps the cached queries of a feature up to date. Returns a function that stops. */
export type Follower = (following: Following) => () => void
