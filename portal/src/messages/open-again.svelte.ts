import { live } from '#live/live.svelte.ts'
import { isFinal, waitOf } from '#api/query-client.ts'
import { Backoff } from '#live/backoff.ts'
import type { History } from './history.svelte.ts'

/**
 * Opens a room again whose messages couldn't be loaded, with increasing pauses, like any other query. Also while a copy is
 * shown, if there is a connection. Called when a component is created.
 */
export function openAgain(room: () => { readonly history: History; readonly open: () => void }): void {
  const backoff = new Backoff()
  $effect(() => {
    const { history, open } = room()
    const { state, isCopy, error } = history
    if (state === 'ready' && !isCopy) return backoff.forget()
    if (state === 'failed' ? isFinal(error) : state === 'loading' || !isCopy || !live.connected) return undefined
    backoff.later(open, waitOf(error))
    return () => backoff.cancel()
  })
}
