import type { Account } from '@portico/contract'
import { createQuery, type QueryClient } from '@tanstack/svelte-query'
import { sessionKey, sessionQuery } from '#api/session.ts'

/** The account whose settings are shown. The shell shows no page before it is loaded. */
export function currentAccount(): () => Account {
  const session = createQuery(() => sessionQuery)
  return () => {
    if (!session.data) throw new Error('settings were shown to nobody')
    return session.data
  }
}

export function setAccount(client: QueryClient, account: Account): void {
  client.setQueryData(sessionKey, account)
}
