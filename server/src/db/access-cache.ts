import type { Pool, PoolClient } from 'pg'

/** The SQLSTATE of the notice by which the database announces that cached tables change (`announce_access_change`). */
const CHANGE_NOTICE = 'POR01'

/** In milliseconds: no entry is served for longer, even if a change was not announced. */
const MAX_AGE = 10_000
/** Of one kind; beyond that, the entries of the kind are dropped. */
const MAX_ENTRIES = 10_000

type Entries = Map<string, unknown>

/**
 * Caches what decides about requests: keys, places, profiles. The database announces a change on the connection that makes
 * it. From then until the connection is released, which is after the commit and before the change is acknowledged, the
 * cache is bypassed; then it is emptied. So no response is older than the last acknowledged change.
 *
 * That holds for changes of this process, so the cache is used only while no other process serves the database.
 */
export class AccessCache {
  /** Replaced as a whole: a load that started before an invalidation fills a map that is no longer read. */
  #kinds = new Map<unknown, Entries>()
  /** When the oldest entry was loaded at the earliest, by a monotonic clock. */
  #since = 0
  #expiry: NodeJS.Timeout | undefined
  readonly #changing = new Set<PoolClient>()
  #isEnabled: () => boolean = () => false

  constructor(pool: Pool) {
    pool.on('connect', (client) => {
      client.on('notice', ({ code }) => {
        if (code === CHANGE_NOTICE) this.#changing.add(client)
      })
    })
    pool.on('release', (_error, client) => this.#onReleased(client))
    pool.on('remove', (client) => this.#onReleased(client))
  }

  /** Nothing is cached before this is called. */
  enableWhile(isEnabled: () => boolean): void {
    this.#isEnabled = isEnabled
  }

  /** As long as this is the same object, no cached table has changed. Undefined: unknown. */
  get generation(): object | undefined {
    return this.#current()
  }

  invalidate(): void {
    this.#kinds = new Map()
    clearTimeout(this.#expiry)
    this.#expiry = undefined
  }

  /**
   * The cached value, or the one that `load` reads, only from tables with the trigger `announce_access_change`. Absent values and those that
   * change with time (`isCacheable`) are loaded each time. Callers share the value. A hit is returned without a promise:
   * callers await it either way.
   */
  getOrLoad<V>(
    kind: unknown,
    key: string,
    load: () => Promise<V | undefined>,
    isCacheable: (value: V) => boolean = () => true,
  ): V | undefined | Promise<V | undefined> {
    const kinds = this.#current()
    if (!kinds) return load()
    const entries = this.#entriesOf(kinds, kind)
    const cached = entries.get(key)
    if (cached !== undefined) return cached as V
    return load().then((value) => {
      if (value !== undefined && isCacheable(value)) {
        if (entries.size >= MAX_ENTRIES) entries.clear()
        entries.set(key, value)
      }
      return value
    })
  }

  /** The entries that may be served; undefined while none may. */
  #current(): Map<unknown, Entries> | undefined {
    if (this.#changing.size > 0 || !this.#isEnabled()) return undefined
    // A process that was suspended serves requests before its timers run.
    if (this.#expiry !== undefined && performance.now() - this.#since >= MAX_AGE) this.invalidate()
    return this.#kinds
  }

  #entriesOf(kinds: Map<unknown, Entries>, kind: unknown): Entries {
    let entries = kinds.get(kind)
    if (!entries) {
      entries = new Map()
      kinds.set(kind, entries)
    }
    if (this.#expiry === undefined) {
      this.#since = performance.now()
      this.#expiry = setTimeout(() => this.invalidate(), MAX_AGE).unref()
    }
    return entries
  }

  #onReleased(client: PoolClient): void {
    if (this.#changing.delete(client)) this.invalidate()
  }
}
