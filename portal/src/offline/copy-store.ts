import type { RoomMessage } from '@portico/contract'
import { hashKey, type QueryKey } from '@tanstack/svelte-query'
import { LocalDatabase, resultOf } from '#storage/local-database.ts'
import { readStored, writeStored } from '#storage/local-storage.ts'
import { forgetCopy, OFFLINE_DATABASE } from './forget-copy.ts'

/** The result of a query, such as the rooms of a channel. */
export interface StoredQuery {
  readonly queryKey: QueryKey
  readonly data: unknown
  /** In milliseconds since 1970. */
  readonly updatedAt: number
}

/** The newest messages of a room, oldest first. */
export interface StoredRoom {
  readonly channelId: string
  readonly roomId: string
  /** In milliseconds since 1970. */
  readonly readAt: number
  readonly messages: readonly RoomMessage[]
  readonly hasOlder: boolean
}

/** What this browser stores of the portal: the last rooms read, by their ids, and what surrounds them. */
export interface StoredCopy {
  readonly queries: ReadonlyMap<string, StoredQuery>
  readonly rooms: ReadonlyMap<string, StoredRoom>
}

/** What to store under these keys; undefined to remove it. */
export interface CopyChanges {
  readonly queries: ReadonlyMap<string, StoredQuery | undefined>
  readonly rooms: ReadonlyMap<string, StoredRoom | undefined>
}

/** A copy is shown for so long after the last connection, and no room in it that wasn't read for so long. */
export const COPY_LIFE_MS = 30 * 24 * 60 * 60 * 1000
/** When the copy was last brought up to date, in milliseconds since 1970. */
const CURRENT_AT = 'copy-current-at'

const QUERIES = 'queries'
const ROOMS = 'rooms'

const database = new LocalDatabase(OFFLINE_DATABASE, (created) => {
  created.createObjectStore(QUERIES)
  created.createObjectStore(ROOMS)
})

/** Called while there is a connection. */
export function noteCurrent(): void {
  writeStored(CURRENT_AT, Date.now())
}

/** Fails if this browser stores nothing. A copy that has expired is removed. */
export async function readCopy(): Promise<StoredCopy> {
  const currentAt = readStored(CURRENT_AT, (value): value is number => typeof value === 'number') ?? 0
  if (currentAt < Date.now() - COPY_LIFE_MS) await forgetCopy()
  return database.transact('readonly', readAll)
}

/** Changes what is stored, in one transaction. */
export async function changeCopy(change: (stored: StoredCopy) => CopyChanges | undefined): Promise<void> {
  await database.transact('readwrite', async (transaction) => {
    const changes = change(await readAll(transaction))
    if (!changes) return
    apply(transaction.objectStore(QUERIES), changes.queries)
    apply(transaction.objectStore(ROOMS), changes.rooms)
  })
}

async function readAll(transaction: IDBTransaction): Promise<StoredCopy> {
  const [queries, rooms]: [StoredQuery[], StoredRoom[]] = await Promise.all([
    resultOf(transaction.objectStore(QUERIES).getAll()),
    resultOf(transaction.objectStore(ROOMS).getAll()),
  ])
  return {
    queries: new Map(queries.map((query) => [hashKey(query.queryKey), query])),
    rooms: new Map(rooms.map((room) => [room.roomId, room])),
  }
}

function apply(store: IDBObjectStore, changes: ReadonlyMap<string, object | undefined>): void {
  for (const [key, value] of changes) {
    if (value) store.put(value, key)
    else store.delete(key)
  }
}
