import type { Pool } from 'pg'

interface Asked<V> {
  readonly promise: Promise<V | undefined>
  readonly resolve: (value: V | undefined) => void
  readonly reject: (error: unknown) => void
}

/**
 * Puts single reads together: whatever is asked for at one moment, or while a statement is under way, is read by one
 * statement. Nothing is remembered, and an answer is never older than its question, so what was changed before is seen.
 */
export function gathered<V>(read: GatheredRead<V>): (pool: Pool, key: string) => Promise<V | undefined> {
  const readers = new WeakMap<Pool, (key: string) => Promise<V | undefined>>()
  return (pool, key) => {
    let reader = readers.get(pool)
    if (!reader) {
      reader = gatheredFrom((keys) => read(pool, keys))
      readers.set(pool, reader)
    }
    return reader(key)
  }
}

/** Reads many keys in one statement. Keys without a row are left out. */
export type GatheredRead<V> = (pool: Pool, keys: readonly string[]) => Promise<ReadonlyMap<string, V>>

function gatheredFrom<V>(
  read: (keys: readonly string[]) => Promise<ReadonlyMap<string, V>>,
): (key: string) => Promise<V | undefined> {
  let underWay = false
  let next = new Map<string, Asked<V>>()

  const start = async (): Promise<void> => {
    const asked = next
    next = new Map()
    try {
      const found = await read([...asked.keys()])
      for (const [key, { resolve }] of asked) resolve(found.get(key))
    } catch (error) {
      for (const { reject } of asked.values()) reject(error)
    }
    underWay = next.size > 0
    if (underWay) void start()
  }

  return (key) => {
    let asked = next.get(key)
    if (!asked) {
      asked = Promise.withResolvers<V | undefined>()
      next.set(key, asked)
      if (!underWay) setImmediate(() => void start())
      underWay = true
    }
    return asked.promise
  }
}
