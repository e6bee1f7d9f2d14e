const POLL_MS = 10_000

/** Portal-wide data has no events, so open pages poll for it. */
export const POLLING = { refetchInterval: POLL_MS, staleTime: 0 }
