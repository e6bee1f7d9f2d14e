/** Portal-wide data has no events, so open pages poll for it. */
export const POLLING = { refetchInterval: 10_000, staleTime: 0 }
