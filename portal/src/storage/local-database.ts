import { hasLeft } from './stored-account.ts'

/** A database in this browser, opened when it is first used. Everything fails if this browser stores nothing. */
export class LocalDatabase {
  readonly #name: string
  readonly #create: (database: IDBDatabase) => void
  #opened: Promise<IDBDatabase> | undefined

  /** `create` makes the object stores of a new database. */
  constructor(name: string, create: (database: IDBDatabase) => void) {
    this.#name = name
    this.#create = create
  }

  /** Runs work in a transaction over all stores, and resolves when it is committed. */
  async transact<Value>(
    mode: IDBTransactionMode,
    work: (transaction: IDBTransaction) => Promise<Value>,
  ): Promise<Value> {
    const database = await this.#open()
    const transaction = database.transaction([...database.objectStoreNames], mode)
    const committed = new Promise<void>((resolve, reject) => {
      transaction.addEventListener('complete', () => resolve())
      transaction.addEventListener('abort', () => reject(transaction.error ?? new Error('Not stored')))
    })
    const [value] = await Promise.all([work(transaction), committed])
    return value
  }

  /** Removes a database in which nothing is stored: its existence alone says that someone was here. */
  async deleteIfEmpty(): Promise<void> {
    const database = await this.#open()
    const stored = await this.transact('readonly', (transaction) =>
      Promise.all([...database.objectStoreNames].map((name) => resultOf(transaction.objectStore(name).count()))),
    )
    if (stored.some((count) => count > 0)) return
    database.close()
    this.#opened = undefined
    await deleteDatabase(this.#name)
  }

  #open(): Promise<IDBDatabase> {
    this.#opened ??= this.#openDatabase().catch((error: unknown) => {
      this.#opened = undefined
      throw error
    })
    return this.#opened
  }

  async #openDatabase(): Promise<IDBDatabase> {
    const request = indexedDB.open(this.#name, 1)
    request.addEventListener('upgradeneeded', () => {
      // What is still at work on this page finds nothing anymore.
      if (hasLeft()) request.transaction?.abort()
      else this.#create(request.result)
    })
    const database = await resultOf(request)
    // Someone signs out and deletes it: an open database would delay that.
    database.addEventListener('versionchange', () => {
      database.close()
      this.#opened = undefined
    })
    database.addEventListener('close', () => (this.#opened = undefined))
    return database
  }
}

/** Resolves when the database is gone, or when a tab that doesn't respond still has it open: it is deleted with that tab. */
export function deleteDatabase(name: string): Promise<void> {
  return new Promise((resolve) => {
    try {
      const request = indexedDB.deleteDatabase(name)
      for (const end of ['success', 'error', 'blocked']) request.addEventListener(end, () => resolve())
    } catch {
      resolve()
    }
  })
}

export function resultOf<Value>(request: IDBRequest<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result))
    request.addEventListener('error', () => reject(request.error ?? new Error('Not stored')))
  })
}
