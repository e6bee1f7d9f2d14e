import type { Pool, PoolClient } from 'pg'
import type { MaybePromise } from './maybe-promise.ts'

/** By this the database says that a statement changes something that may be remembered (`announce_access_change`). */
const CHANGES = 'POR01'

/** In milliseconds: nothing older is answered from here, whoever forgot to announce a change. */
const LASTS = 10_000
/** Of one kind; with more, it is begun anew. */
const MOST = 10_000

type Shelf = Map<string, unknown>

/**
 * What was read and has not changed since. A change is told by the database on the connection that makes it: from then
 * until the connection is given back, which is after the commit and before anybody is told that it is done, nothing is
 * remembered, and then everything is read anew. So no answer is older than the last change that was acknowledged.
 *
 * That holds for the changes of this process, so it is trusted only while no other one serves.
 */
export class AccessCache {
  /** Thrown away whole: whoever still reads for an old shelf puts it where nobody looks. */
  #shelves = new Map<unknown, Shelf>()
  /** When the oldest entry was read at the earliest, by a clock that never jumps. */
  #since = 0
  #forgetting: NodeJS.Timeout | undefined
  readonly #changing = new Set<PoolClient>()
  #isTrusted: () => boolean = () => false

  constructor(pool: Pool) {
    pool.on('connect', (client) => {
      client.on('notice', ({ code }) => {
        if (code === CHANGES) this.#changing.add(client)
      })
    })
    pool.on('release', (_error, client) => this.#changed(client))
    pool.on('remove', (client) => this.#changed(client))
  }

  /** Nothing is remembered before this is called. */
  enableWhile(isTrusted: () => boolean): void {
    this.#isTrusted = isTrusted
  }

  /** As long as this stays the same thing, nothing has changed of what may be remembered; undefined: it is not known. */
  get generation(): object | undefined {
    return this.#current()
  }

  invalidate(): void {
    this.#shelves = new Map()
    clearTimeout(this.#forgetting)
    this.#forgetting = undefined
  }

  /**
   * What is remembered, or what is read now: only of tables with the trigger `announce_access_change`. What is not there is asked for again,
   * and so is what changes by itself in time. The value is shared by all who ask.
   */
  getOrLoad<V>(
    kind: unknown,
    key: string,
    read: () => Promise<V | undefined>,
    isLasting: (value: V) => boolean = () => true,
  ): MaybePromise<V | undefined> {
    const shelves = this.#current()
    if (!shelves) return read()
    const shelf = this.#shelf(shelves, kind)
    const known = shelf.get(key)
    if (known !== undefined) return known as V
    return read().then((value) => {
      if (value !== undefined && isLasting(value)) {
        if (shelf.size >= MOST) shelf.clear()
        shelf.set(key, value)
      }
      return value
    })
  }

  /** What may be answered from, undefined while nothing may. */
  #current(): Map<unknown, Shelf> | undefined {
    if (this.#changing.size > 0 || !this.#isTrusted()) return undefined
    // A process that was stopped answers requests before its timers are run.
    if (this.#forgetting !== undefined && performance.now() - this.#since >= LASTS) this.invalidate()
    return this.#shelves
  }

  #shelf(shelves: Map<unknown, Shelf>, kind: unknown): Shelf {
    let shelf = shelves.get(kind)
    if (!shelf) {
      shelf = new Map()
      shelves.set(kind, shelf)
    }
    if (this.#forgetting === undefined) {
      this.#since = performance.now()
      this.#forgetting = setTimeout(() => this.invalidate(), LASTS).unref()
    }
    return shelf
  }

  #changed(client: PoolClient): void {
    if (this.#changing.delete(client)) this.invalidate()
  }
}
