import type { Pool } from 'pg'

/** An item that waits for its result. */
export interface Pending<Item, Result> {
  readonly item: Item
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

/**
 * Runs items in batches of at most `limit`: those of one turn of the event loop, or of the milliseconds in `gather`, and those
 * that arrive while a batch runs, make up the next one. `run` settles each item; when it returns, the next batch starts. If it
 * throws, the items that it has not settled are rejected with its error.
 */
export function batch<Item, Result>(
  limit: number,
  run: (pending: readonly Pending<Item, Result>[]) => Promise<void>,
  gather = 0,
): (item: Item) => Promise<Result> {
  let isRunning = false
  let waiting: Pending<Item, Result>[] = []

  const runNext = async (): Promise<void> => {
    const pending = waiting.slice(0, limit)
    waiting = waiting.slice(limit)
    try {
      await run(pending)
    } catch (error) {
      for (const { reject } of pending) reject(error)
    }
    isRunning = waiting.length > 0
    if (isRunning) void runNext()
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      if (isRunning) return
      isRunning = true
      if (gather > 0) setTimeout(() => void runNext(), gather)
      else setImmediate(() => void runNext())
    })
}

/** Runs many small statements as one. The results come in the order of the items. */
export function batchResults<Item, Result>(
  limit: number,
  run: (items: readonly Item[]) => Promise<readonly Result[]>,
  gather = 0,
): (item: Item) => Promise<Result> {
  const settleAll = async (pending: readonly Pending<Item, Result>[]): Promise<void> => {
    const results = await run(pending.map(({ item }) => item))
    if (results.length !== pending.length) throw new Error('a batch returned another number of results than of items')
    for (const [index, { resolve }] of pending.entries()) resolve(results[index]!)
  }
  return batch(limit, settleAll, gather)
}

/** Reads many keys in one statement. Keys without a row are left out. */
export type BatchRead<Value> = (pool: Pool, keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>

/**
 * Combines single reads into one statement. Nothing is cached: a value is never older than the call that returns it, so
 * every change that was committed before the call is seen.
 */
export function batchReads<Value>(read: BatchRead<Value>): (pool: Pool, key: string) => Promise<Value | undefined> {
  const readers = new WeakMap<Pool, (key: string) => Promise<Value | undefined>>()
  return (pool, key) => {
    let reader = readers.get(pool)
    if (!reader) {
      reader = batch<string, Value | undefined>(Infinity, async (pending) => {
        const values = await read(pool, [...new Set(pending.map(({ item }) => item))])
        for (const { item, resolve } of pending) resolve(values.get(item))
      })
      readers.set(pool, reader)
    }
    return reader(key)
  }
}
