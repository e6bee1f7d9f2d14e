import type { Position, PositionStore, SessionStore, StateChange } from './positions.ts'

type Ranges = StateChange['finished']

/**
 * Saves up to which event everything is handled, and with it the sessions that were changed meanwhile. Events are handled in
 * parallel, so an event may be finished before an earlier one; the position doesn't pass an event that is unfinished. With
 * sessions, the finished events after the position are saved as well: handled again, they would change a session twice.
 */
export class PositionTracker {
  readonly #store: PositionStore
  /** The same store, if it is to keep sessions. */
  readonly #sessionStore: SessionStore | undefined
  readonly #onError: (error: unknown) => void
  #epoch: string | undefined
  /** Events that were received but aren't handled yet, in order of arrival. */
  readonly #unfinished = new Set<number>()
  /** What was finished before the start. */
  #finishedBefore: Ranges = []
  #received = 0
  #saved = -1
  #saving: Promise<void> | undefined
  /** What the next save writes, and what the current one does. */
  #changed = new Map<string, string | undefined>()
  #beingSaved: ReadonlyMap<string, string | undefined> = new Map()
  #hasNews = false

  constructor(
    store: PositionStore,
    { sessions, onError }: { readonly sessions?: SessionStore | undefined; readonly onError: (error: unknown) => void },
  ) {
    this.#store = store
    this.#sessionStore = sessions
    this.#onError = onError
  }

  /** Where the bot continues. */
  async load(): Promise<Position | undefined> {
    const position = await this.#store.load()
    if (position) this.#finishedBefore = (await this.#sessionStore?.loadFinished()) ?? []
    this.#epoch = position?.epoch
    return position
  }

  /** Begins at a position: everything before it is handled, or can't be recovered. */
  begin({ epoch, offset }: Position): void {
    if (epoch !== this.#epoch) {
      this.#unfinished.clear()
      this.#finishedBefore = []
    }
    this.#epoch = epoch
    this.#received = offset
    this.#saved = -1
    this.#save()
  }

  /** Whether the event has to be handled: not if it was finished before the bot was started. */
  receive(offset: number): boolean {
    this.#received = offset
    const isFinished = this.#finishedBefore.some(([first, last]) => first <= offset && offset <= last)
    if (isFinished) this.#save()
    else this.#unfinished.add(offset)
    return !isFinished
  }

  finish(epoch: string, offset: number): void {
    if (epoch !== this.#epoch) return
    this.#unfinished.delete(offset)
    this.#hasNews = true
    this.#save()
  }

  /** Called in the same turn as `finish` of the event that changed the session. */
  change(key: string, session: string | undefined): void {
    this.#changed.set(key, session)
    this.#hasNews = true
    this.#save()
  }

  async session(key: string): Promise<string | undefined> {
    for (const changes of [this.#changed, this.#beingSaved]) if (changes.has(key)) return changes.get(key)
    return this.#sessionStore?.loadSession(key)
  }

  /** Resolves when the current position is saved. */
  async flush(): Promise<void> {
    while (this.#saving) await this.#saving
  }

  /** All events up to this one are handled. */
  get #handled(): number {
    const [first] = this.#unfinished
    return first === undefined ? this.#received : first - 1
  }

  /** What is finished after `#handled`. */
  get #finished(): Ranges {
    const ranges: (readonly [number, number])[] = []
    const unfinished = [...this.#unfinished]
    for (const [index, offset] of unfinished.entries()) {
      const last = (unfinished[index + 1] ?? this.#received + 1) - 1
      if (last > offset) ranges.push([offset + 1, last])
    }
    const later = this.#finishedBefore.filter(([, last]) => last > this.#received)
    return [...ranges, ...later.map(([first, last]) => [Math.max(first, this.#received + 1), last] as const)]
  }

  /** One save at a time, of whatever has changed by then: events that finish in the same turn are saved together. */
  #save(): void {
    const isNews = this.#handled !== this.#saved || (this.#sessionStore !== undefined && this.#hasNews)
    if (this.#saving || !isNews) return
    this.#saving = Promise.resolve()
      .then(() => this.#write())
      .then(() => {
        this.#saving = undefined
        this.#save()
      })
  }

  async #write(): Promise<void> {
    const [epoch, offset] = [this.#epoch, this.#handled]
    const position = epoch === undefined ? undefined : { epoch, offset }
    this.#saved = offset
    this.#hasNews = false
    this.#beingSaved = this.#changed
    this.#changed = new Map()
    try {
      if (this.#sessionStore) {
        const finished = this.#finished
        await this.#sessionStore.saveState({ position, finished, sessions: this.#beingSaved })
      } else if (position) await this.#store.save(position)
    } catch (error) {
      // The next save writes it, with what has changed by then.
      this.#changed = new Map([...this.#beingSaved, ...this.#changed])
      this.#onError(error)
    }
    this.#beingSaved = new Map()
  }
}
