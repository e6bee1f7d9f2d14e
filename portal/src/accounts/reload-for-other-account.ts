import type { Account } from '@portico/contract'
import type { QueryClient } from '@tanstack/svelte-query'
import { PREFIX } from '#storage/local-storage.ts'
import { sessionKey } from '#api/session.ts'
import { isSignedIn, STORED_ACCOUNT } from '#storage/stored-account.ts'

/**
 * Someone else may sign in in another tab. Then this page is loaded again: it must neither show what the account before has
 * read, nor act with the session of the other one. Returns a function that stops.
 */
export function reloadForOtherAccount(client: QueryClient, myId: string): () => void {
  const unsubscribe = client.getQueryCache().subscribe(({ type, query }) => {
    if (type !== 'updated' || query.queryKey[0] !== sessionKey[0]) return
    const account = client.getQueryData<Account | null>(sessionKey)
    if (account && account.id !== myId) location.reload()
  })
  const listener = ({ key }: StorageEvent): void => {
    if (key === PREFIX + STORED_ACCOUNT && !isSignedIn(myId)) location.reload()
  }
  addEventListener('storage', listener)
  return () => {
    unsubscribe()
    removeEventListener('storage', listener)
  }
}
