import type { ErrorBody } from '@portico/contract'
import { LocalDatabase, resultOf } from '#storage/local-database.ts'
import type { Quoted } from '#drafts/quoted.ts'

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

const database = new LocalDatabase('portico.outbox', (created) => {
  const store = created.createObjectStore(MESSAGES, { autoIncrement: true })
  store.createIndex('key', 'key', { unique: true })
})

/**
 * The stored messages of an account, in the order in which they were written. Never those of another account. Undefined if
 * this browser stores nothing.
 */
export async function storedMessages(accountId: string): Promise<readonly StoredMessage[] | undefined> {
  try {
    const stored: unknown[] = await inStore('readonly', (store) => resultOf(store.getAll()))
    return stored.filter(isStoredMessage).filter((message) => message.accountId === accountId)
  } catch {
    return undefined
  }
}

/** Stores a new message after the others. Returns false if that failed. */
export async function addStored(message: StoredMessage): Promise<boolean> {
  try {
    await inStore('readwrite', (store) => resultOf(store.add(message)))
    return true
  } catch {
    return false
  }
}

/** Stores a new version of a message, unless another page has sent or discarded it meanwhile. */
export async function changeStored(message: StoredMessage): Promise<void> {
  await inStore('readwrite', async (store) => {
    const order = await resultOf(store.index('key').getKey(message.key))
    if (order !== undefined) await resultOf(store.put(message, order))
  }).catch(() => undefined)
}

export async function dropStored(key: string): Promise<void> {
  await inStore('readwrite', async (store) => {
    const order = await resultOf(store.index('key').getKey(key))
    if (order !== undefined) await resultOf(store.delete(order))
  }).catch(() => undefined)
}

/** Removes the messages of an account, or of all if it isn't known. */
export async function forgetMessages(accountId: string | undefined): Promise<void> {
  await inStore('readwrite', async (store) => {
    const [orders, all]: [IDBValidKey[], unknown[]] = await Promise.all([
      resultOf(store.getAllKeys()),
      resultOf(store.getAll()),
    ])
    const isOwn = (one: unknown): boolean =>
      accountId === undefined || (isStoredMessage(one) && one.accountId === accountId)
    for (const order of orders.filter((_, index) => isOwn(all[index]))) store.delete(order)
  })
    .then(() => database.deleteIfEmpty())
    .catch(() => undefined)
}

function inStore<Value>(mode: IDBTransactionMode, work: (store: IDBObjectStore) => Promise<Value>): Promise<Value> {
  return database.transact(mode, (transaction) => work(transaction.objectStore(MESSAGES)))
}

function isStoredMessage(value: unknown): value is StoredMessage {
  if (typeof value !== 'object' || value === null) return false
  const message = value as Record<string, unknown>
  const texts = ['accountId', 'key', 'channelId', 'roomId', 'typed', 'createdAt']
  return texts.every((name) => typeof message[name] === 'string')
}
