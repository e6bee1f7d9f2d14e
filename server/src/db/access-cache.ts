import type { Pool, PoolClient } from 'pg'
import type { ReadVersion } from './access-version.ts'

/** The SQLSTATE of the notice by which the database announces that cached tables change (`announce_access_change`). */
const CHANGE_NOTICE = 'POR01'

/** In milliseconds: no entry is served for longer, even if a change was not announced. */
const MAX_AGE = 10_000
/** Of one kind; beyond that, the entries of the kind are dropped. */
const MAX_ENTRIES = 10_000

type Entries = Map<string, unknown>
type Kinds = Map<unknown, Entries>

interface Request<V> {
  readonly kind: unknown
  readonly key: string
  readonly load: () => Promise<V | undefined>
  readonly isCacheable: (value: V) => boolean
}

/**
 * Caches what decides about requests: keys, places, profiles. The database announces a change on the connection that makes
 * it. From then until the connection is released, which is after the commit and before the change is acknowledged, the
 * cache is bypassed; then it is emptied. So no response is older than the last acknowledged change.
 *
 * That holds for changes of this process, so the cache is used only while no other process serves the database. The nodes of a
 * cluster use an entry only after the database has said that nothing has changed (`access-version.ts`).
 */
export class AccessCache {
  /** Replaced as a whole: a load that started before an invalidation fills a map that is no longer read. */
  #kinds: Kinds = new Map()
  /** When the oldest entry was loaded at the earliest, by a monotonic clock. */
  #since = 0
  #expiry: NodeJS.Timeout | undefined
  readonly #changing = new Set<PoolClient>()
  #isEnabled: () => boolean = () => false
  #readVersion: ReadVersion | undefined
  /** All entries were loaded after the database had this version. Undefined: unknown, and there are none. */
  #version: number | undefined

  constructor(pool: Pool) {
    pool.on('connect', (client) => {
      client.on('notice', ({ code }) => {
        if (code === CHANGE_NOTICE) this.#changing.add(client)
      })
    })
    pool.on('release', (_error, client) => this.#onReleased(client))
    pool.on('remove', (client) => this.#onReleased(client))
  }

  /** For the only process that serves the database. Nothing is cached before this or `enableByVersion` is called. */
  enableWhile(isEnabled: () => boolean): void {
    this.#isEnabled = isEnabled
  }

  /** For a node of a cluster: each time an entry is used, the version is read before. */
  enableByVersion(readVersion: ReadVersion): void {
    this.#readVersion = readVersion
  }

  /** As long as this is the same object, no cached table has changed. Undefined: unknown, as always on a node of a cluster. */
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
   * change with time (`isCacheable`) are loaded each time. Callers share the value. A hit is returned without a promise where
   * possible: callers await it either way.
   */
  getOrLoad<V>(
    kind: unknown,
    key: string,
    load: () => Promise<V | undefined>,
    isCacheable: (value: V) => boolean = () => true,
  ): V | undefined | Promise<V | undefined> {
    const request = { kind, key, load, isCacheable }
    if (this.#readVersion) return this.#getConfirmed(request, this.#readVersion)
    return this.#getFrom(this.#current(), request)
  }

  /**
   * What is missing is loaded without another question: if the version is still the same when the entry is used, nothing has
   * changed since before it was loaded.
   */
  async #getConfirmed<V>(request: Request<V>, readVersion: ReadVersion): Promise<V | undefined> {
    const { kind, key } = request
    if (this.#version === undefined || this.#fresh().get(kind)?.has(key)) {
      const version = await readVersion()
      if (version === undefined || version !== this.#version) this.invalidate()
      this.#version = version
    }
    return this.#getFrom(this.#version === undefined ? undefined : this.#fresh(), request)
  }

  #getFrom<V>(
    kinds: Kinds | undefined,
    { kind, key, load, isCacheable }: Request<V>,
  ): V | undefined | Promise<V | undefined> {
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
  #current(): Kinds | undefined {
    return this.#changing.size > 0 || !this.#isEnabled() ? undefined : this.#fresh()
  }

  #fresh(): Kinds {
    // A process that was suspended serves requests before its timers run.
    if (this.#expiry !== undefined && performance.now() - this.#since >= MAX_AGE) this.invalidate()
    return this.#kinds
  }

  #entriesOf(kinds: Kinds, kind: unknown): Entries {
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
