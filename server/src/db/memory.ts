import type { Pool, PoolClient } from 'pg'
import type { Soon } from '../soon.ts'

/** By this the database says that a statement changes something that may be remembered: migration 0014. */
const CHANGES = 'POR01'

/** In milliseconds: what somebody changes behind our back, by hand, is seen after this at the latest. */
const LASTS = 10_000
/** Of one kind; with more, it is begun anew. */
const MOST = 10_000

type Shelf = Map<string, unknown>

/**
 * What was read and has not changed since. A change is told by the database on the connection that makes it: from then
 * until the connection is given back, which is after the commit and before anybody is told that it is done, nothing is
 * remembered, and then everything is read anew. So no answer is older than the last change that was acknowledged.
 *
 * That holds for the changes of this process: another one's are not told here, so where there are two nothing is
 * remembered at all.
 */
export class Memory {
  /** Thrown away whole: whoever still reads for an old shelf puts it where nobody looks. */
  #shelves = new Map<unknown, Shelf>()
  #forgetting: NodeJS.Timeout | undefined
  readonly #changing = new Set<PoolClient>()
  #isAlone: () => boolean = () => false

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
  rememberWhile(isAlone: () => boolean): void {
    this.#isAlone = isAlone
  }

  /** As long as this stays the same thing, nothing has changed of what may be remembered; undefined: it is not known. */
  get unchanged(): object | undefined {
    return this.#changing.size > 0 || !this.#isAlone() ? undefined : this.#shelves
  }

  forget(): void {
    this.#shelves = new Map()
    clearTimeout(this.#forgetting)
    this.#forgetting = undefined
  }

  /**
   * What is remembered, or what is read now: only of what migration 0014 watches. What is not there is asked for again,
   * and so is what changes by itself in time. The value is shared by all who ask.
   */
  recall<V>(
    kind: unknown,
    key: string,
    read: () => Promise<V | undefined>,
    isLasting: (value: V) => boolean = () => true,
  ): Soon<V | undefined> {
    if (this.#changing.size > 0 || !this.#isAlone()) return read()
    const shelf = this.#shelf(kind)
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

  #shelf(kind: unknown): Shelf {
    let shelf = this.#shelves.get(kind)
    if (!shelf) {
      shelf = new Map()
      this.#shelves.set(kind, shelf)
      this.#forgetting ??= setTimeout(() => this.forget(), LASTS).unref()
    }
    return shelf
  }

  #changed(client: PoolClient): void {
    if (this.#changing.delete(client)) this.forget()
  }
}
