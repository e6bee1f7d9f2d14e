import type { QueryClient } from '@tanstack/svelte-query'
import type { Account } from '@portico/contract'
import { api, Refused, Unreachable } from '#api/api.ts'
import { writeStored } from '#storage/local-storage.ts'
import { forgetAccount, replaceAccount } from './forget-account.ts'
import { leaving } from './leaving.svelte.ts'
import { sessionKey } from '#api/session.ts'
import { noteLeft, STORED_ACCOUNT, storedAccountId } from '#storage/stored-account.ts'

/** Drops everything that was cached or stored for an earlier account or for a visitor. */
export function enter(client: QueryClient, account: Account): void {
  const { id } = account
  const before = storedAccountId()
  // A session that ended by itself leaves drafts and unsent messages behind, for the same person only.
  if (before !== id) {
    replaceAccount(before, id)
    void endPush()
  }
  writeStored(STORED_ACCOUNT, id)
  client.setQueryData(sessionKey, account)
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] })
}

/** Signs out. */
export async function leave(next?: string): Promise<void> {
  // Nothing is ended: without a connection the session would stay open on the server.
  if (!navigator.onLine) throw new Unreachable()
  await endPush()
  await leaveAfter(async () => {
    try {
      await api.signOut({})
    } catch (error) {
      if (!(error instanceof Refused && error.httpStatus === 401)) throw error
    }
  }, next)
}

/**
 * Ends the session, and leaves nothing of the account behind, neither in this browser nor in memory: the next page is a full
 * load.
 */
export async function leaveAfter(endSession: () => Promise<unknown>, next = '/sign-in'): Promise<void> {
  leaving.now = true
  try {
    await endSession()
  } catch (error) {
    leaving.now = false
    throw error
  }
  noteLeft()
  await forgetAccount(storedAccountId())
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
