import type { Account } from '@portico/contract'
import { hashKey, type QueryClient } from '@tanstack/svelte-query'
import { sessionKey } from '#api/session.ts'
import { storedAccountId } from '#storage/stored-account.ts'
import { onConnected } from '#live/live.svelte.ts'
import { conversationOf } from '#messages/conversations.svelte.ts'
import type { CopiedPage } from '#messages/message-page.ts'
import { readStatesQuery, type ReadStates } from '#unread/read-states.ts'
import { readCopy, type StoredCopy, type StoredRoom } from './copy-store.ts'

/**
 * Shows what this browser has stored of the account that signed in last. Returns the account. Undefined if nothing is
 * stored, or someone has signed out.
 */
export async function openCopy(client: QueryClient): Promise<Account | undefined> {
  const copy = await ownCopy()
  if (!copy) return undefined
  const { account, queries, rooms } = copy
  for (const { queryKey, data, updatedAt } of queries.values()) client.setQueryData(queryKey, data, { updatedAt })
  const byReading = [...rooms.values()].toSorted((one, other) => one.readAt - other.readAt)
  for (const room of byReading) conversationOf(room, account).history.useCopy(toPage(room, copy))
  const stop = onConnected(() => {
    stop()
    void client.invalidateQueries({ queryKey: sessionKey })
  })
  return account
}

/** What this browser has stored of a room. */
export async function copiedPage(roomId: string): Promise<CopiedPage | undefined> {
  const copy = await ownCopy()
  const room = copy?.rooms.get(roomId)
  return copy && room && toPage(room, copy)
}

async function ownCopy(): Promise<(StoredCopy & { account: Account }) | undefined> {
  const copy = await readCopy().catch(() => undefined)
  const account = copy?.queries.get(hashKey(sessionKey))?.data as Account | undefined
  return copy && account && account.id === storedAccountId() ? { ...copy, account } : undefined
}

function toPage({ roomId, messages, hasOlder }: StoredRoom, { queries }: StoredCopy): CopiedPage {
  const readStates = queries.get(hashKey(readStatesQuery.queryKey))?.data as ReadStates | undefined
  const readUpTo = readStates?.get(roomId)?.readUpTo ?? ''
  return { messages, hasOlder, hasNewer: false, readUpTo, isCopy: true }
}
