import type { QueryClient } from '@tanstack/svelte-query'
import type { Account } from '@portico/contract'
import { api, Refused } from '#api.ts'
import { readStored, writeStored } from '#local-storage.ts'
import { forgetAccount } from './forget-account.ts'
import { sessionKey } from './session.ts'

/** The account that signed in last, to which what this browser stores belongs. */
const STORED_ACCOUNT = 'account'

/** Drops everything that was cached or stored for an earlier account or for a visitor. */
export function enter(client: QueryClient, account: Account): void {
  const { id } = account
  // A session that ended by itself leaves drafts and unsent messages behind, for the same person only.
  if (!readStored(STORED_ACCOUNT, (stored): stored is string => stored === id)) {
    void forgetAccount()
    void endPush()
  }
  writeStored(STORED_ACCOUNT, id)
  client.setQueryData(sessionKey, account)
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] })
}

/** Whether this account signed in last in this browser: another tab may have changed it since this page was opened. */
export function isSignedIn(accountId: string): boolean {
  const stored = readStored(STORED_ACCOUNT, (value): value is string => typeof value === 'string')
  return stored === undefined || stored === accountId
}

/** Leaves nothing of the account behind, neither in this browser nor in memory: the next page is a full load. */
export async function leave(next = '/sign-in'): Promise<void> {
  await endPush()
  try {
    await api.signOut({})
  } catch (error) {
    if (!(error instanceof Refused && error.httpStatus === 401)) throw error
  }
  await forgetAccount()
  location.assign(next)
}

/** No push for the account before may reach the next person. Signing out ends its subscription on the server. */
async function endPush(): Promise<void> {
  try {
    const { endSubscription } = await import('#notifications/push-subscription.ts')
    await endSubscription()
  } catch {
    // This browser has no service workers.
  }
}
