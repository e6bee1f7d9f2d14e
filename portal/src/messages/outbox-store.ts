import type { ErrorBody } from '@portico/contract'
import { OUTBOX_DATABASE } from '#accounts/forget-account.ts'
import type { Quoted } from './outbox.svelte.ts'

/** A message that the server hasn't acknowledged, as this browser stores it. */
export interface StoredMessage {
  readonly accountId: string
  readonly key: string
  readonly channelId: string
  readonly roomId: string
  readonly text?: string | undefined
  readonly typed: string
  readonly replyTo?: Quoted | undefined
  readonly createdAt: string
  /** Its id, if it was seen among the new messages and only the server's answer is missing. */
  readonly sentAs?: string | undefined
  /** The server's refusal. */
  readonly refusal?: { readonly httpStatus: number; readonly body: ErrorBody } | undefined
}

/** By the order in which all pages of this browser have stored them. */
const MESSAGES = 'messages'

let opened: Promise<IDBDatabase> | undefined

/**
 * The stored messages of an account, in the order in which they were written. Never those of another account. Undefined if
 * this browser stores nothing.
 */
export async function storedMessages(accountId: string): Promise<readonly StoredMessage[] | undefined> {
  try {
    const stored: unknown[] = await inStore('readonly', (store) => result(store.getAll()))
    return stored.filter(isStoredMessage).filter((message) => message.accountId === accountId)
  } catch {
    return undefined
  }
}

/** Stores a new message after the others. Returns false if that failed. */
export async function addStored(message: StoredMessage): Promise<boolean> {
  try {
    await inStore('readwrite', (store) => result(store.add(message)))
    return true
  } catch {
    return false
  }
}

/** Stores a new version of a message, unless another page has sent or discarded it meanwhile. */
export async function changeStored(message: StoredMessage): Promise<void> {
  await inStore('readwrite', async (store) => {
    const order = await result(store.index('key').getKey(message.key))
    if (order !== undefined) await result(store.put(message, order))
  }).catch(() => undefined)
}

export async function dropStored(key: string): Promise<void> {
  await inStore('readwrite', async (store) => {
    const order = await result(store.index('key').getKey(key))
    if (order !== undefined) await result(store.delete(order))
  }).catch(() => undefined)
}

/** Runs work in a transaction and resolves when it is committed. */
async function inStore<Value>(
  mode: IDBTransactionMode,
  work: (store: IDBObjectStore) => Promise<Value>,
): Promise<Value> {
  const transaction = (await open()).transaction(MESSAGES, mode)
  const committed = new Promise<void>((resolve, reject) => {
    transaction.addEventListener('complete', () => resolve())
    transaction.addEventListener('abort', () => reject(transaction.error ?? new Error('Not stored')))
  })
  const [value] = await Promise.all([work(transaction.objectStore(MESSAGES)), committed])
  return value
}

function open(): Promise<IDBDatabase> {
  opened ??= openDatabase().catch((error: unknown) => {
    opened = undefined
    throw error
  })
  return opened
}

async function openDatabase(): Promise<IDBDatabase> {
  const request = indexedDB.open(OUTBOX_DATABASE, 1)
  request.addEventListener('upgradeneeded', () => {
    const store = request.result.createObjectStore(MESSAGES, { autoIncrement: true })
    store.createIndex('key', 'key', { unique: true })
  })
  const database = await result(request)
  // Someone signs out and deletes it: an open database would delay that.
  database.addEventListener('versionchange', () => {
    database.close()
    opened = undefined
  })
  database.addEventListener('close', () => (opened = undefined))
  return database
}

function result<Value>(request: IDBRequest<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result))
    request.addEventListener('error', () => reject(request.error ?? new Error('Not stored')))
  })
}

function isStoredMessage(value: unknown): value is StoredMessage {
  if (typeof value !== 'object' || value === null) return false
  const message = value as Record<string, unknown>
  const texts = ['accountId', 'key', 'channelId', 'roomId', 'typed', 'createdAt']
  return texts.every((name) => typeof message[name] === 'string')
}
