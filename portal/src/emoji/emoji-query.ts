import { queryOptions } from '@tanstack/svelte-query'

/** The emoji, which are loaded when they are first needed. */
export const emojiQuery = queryOptions({
  queryKey: ['emoji'],
  queryFn: async () => (await import('./emoji-data.ts')).EMOJI,
  staleTime: Infinity,
})
