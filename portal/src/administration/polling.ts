/** What concerns the portal as a whole is told to nobody: whoever looks at it asks again after so many milliseconds. */
export const POLLING = { refetchInterval: 10_000, staleTime: 0 }
