import { memberJoined } from '@portico/contract'
import type { LoggedEvent, Settled } from './read-settled.ts'

/** Later events are read from the database. */
const MOST_WAITING = 10_000

/** Events that this process has committed or received from other nodes, and not yet delivered. */
export class WrittenEvents {
  readonly #events = new Map<number, LoggedEvent>()
  /** Those that another process has published, and so takes care of. */
  readonly #fromOthers = new WeakSet<LoggedEvent>()

  get isEmpty(): boolean {
    return this.#events.size === 0
  }

  /** The highest of their positions. */
  get highest(): number {
    return Math.max(0, ...this.#events.keys())
  }

  /** Returns false if there is no room for it. */
  add(event: LoggedEvent, { isFromOther }: { readonly isFromOther: boolean }): boolean {
    if (this.#events.has(event.seq)) return true
    if (this.#events.size >= MOST_WAITING) return false
    if (isFromOther) this.#fromOthers.add(event)
    this.#events.set(event.seq, event)
    return true
  }

  isFromOther(event: LoggedEvent): boolean {
    return this.#fromOthers.has(event)
  }

  /** Takes what follows a position and is complete: up to where all is settled, or directly after it, where nothing can be missing. */
  take(top: number, settled: number): Settled | undefined {
    const events = settled > top ? this.#between(top, settled) : this.#directlyAfter(top)
    // A listener may begin to follow the channel because of it. What it needs from then on isn’t among the later events here.
    const joined = events.findIndex(({ event }) => event === memberJoined.event)
    if (joined !== -1) events.length = joined + 1
    for (const { seq } of events) this.#events.delete(seq)
    const newTop = joined === -1 && settled > top ? settled : events.at(-1)?.seq
    return newTop === undefined ? undefined : { events, top: newTop, more: true }
  }

  /** Events that arrived again, or while the log was read. */
  forgetUpTo(top: number): void {
    for (const seq of this.#events.keys()) if (seq <= top) this.#events.delete(seq)
  }

  #between(after: number, upTo: number): LoggedEvent[] {
    const events = [...this.#events.values()].filter(({ seq }) => seq > after && seq <= upTo)
    return events.toSorted((one, other) => one.seq - other.seq)
  }

  #directlyAfter(top: number): LoggedEvent[] {
    const events: LoggedEvent[] = []
    for (let position = top; ;) {
      const next = this.#events.get((position += 1))
      if (!next) return events
      events.push(next)
    }
  }
}
