import type { QueryClient } from '@tanstack/svelte-query'
import { readStatesQuery } from '#unread/read-states.ts'

/** Shows the number of unread mentions on the icon of the installed app. Returns a function that stops. */
export function followAppBadge(client: QueryClient): () => void {
  if (!('setAppBadge' in navigator)) return () => undefined
  const show = (): void => {
    const readStates = client.getQueryData(readStatesQuery.queryKey)
    if (!readStates) return
    let mentions = 0
    for (const room of readStates.values()) if (!room.muted) mentions += room.mentions
    // Refused where the portal isn't installed.
    navigator.setAppBadge(mentions).catch(() => undefined)
  }
  show()
  return client.getQueryCache().subscribe(({ type, query }) => {
    if (type === 'updated' && query.queryKey[0] === readStatesQuery.queryKey[0]) show()
  })
}
