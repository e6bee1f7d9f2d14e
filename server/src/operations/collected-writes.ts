import type { Statement } from '../db/prepared.ts'
import { keepAudience, loggedEvent, type Appended, type NewEvent } from '../events/emit-event.ts'
import { replaceFields } from '../events/placeholders.ts'
import type { LoggedEvent } from '../events/read-settled.ts'

/** Called with the rows of a statement. If it throws, the operation fails, but what it has written is not rolled back. */
export type OnRows = (rows: readonly unknown[]) => void

/** A statement whose result is checked with the commit. */
export interface QueuedStatement {
  readonly statement: Statement
  readonly onRows: OnRows | undefined
}

/** An event that is appended with the commit. */
export interface PendingEvent {
  readonly event: NewEvent
  /** The setting that stores the audience of the event; null: it is determined with the commit. */
  readonly audienceIn: string | null
  /** Its placeholders are replaced when the event is appended. */
  readonly assignTo: object | undefined
}

/**
 * What an operation writes, in its order. Statements are held until a transaction takes them, because one that stays alone
 * needs no transaction around it. Events wait for the commit.
 */
export class CollectedWrites {
  readonly events: PendingEvent[] = []
  readonly #held: QueuedStatement[] = []
  #send: ((queued: QueuedStatement) => void) | undefined

  queue(statement: Statement, onRows?: OnRows): void {
    const queued = { statement, onRows }
    if (this.#send) this.#send(queued)
    else this.#held.push(queued)
  }

  emit(event: NewEvent, assignTo?: object): void {
    const isForAll = event.logged.roomId === null && event.onlyFor === undefined
    const audienceIn = isForAll ? null : `portico.audience_${this.events.length}`
    if (audienceIn !== null) this.queue(keepAudience(event, audienceIn))
    this.events.push({ event, audienceIn, assignTo })
  }

  /** The only write, if there is just one. The statement that keeps the audience of a single event is not needed. */
  get single(): PendingEvent | QueuedStatement | undefined {
    const [event, another] = this.events
    // Whom it is for can't be determined with the commit.
    if (event?.event.onlyFor !== undefined) return undefined
    if (!event) return this.#held.length === 1 ? this.#held[0] : undefined
    const audiences = event.audienceIn === null ? 0 : 1
    return another === undefined && this.#held.length === audiences ? event : undefined
  }

  get isEmpty(): boolean {
    return this.#held.length === 0 && this.events.length === 0
  }

  /** Sends the statements that were held, and from now on each one as it is queued. */
  sendTo(send: (queued: QueuedStatement) => void): void {
    this.#send = send
    for (const queued of this.#held) send(queued)
  }
}

/** What readers of the log get of an event that was appended. */
export function appendedEvents({ event, assignTo }: PendingEvent, rows: readonly Appended[]): LoggedEvent[] {
  return rows.map((row) => {
    if (assignTo) replaceFields(assignTo, row)
    return loggedEvent(event, row)
  })
}
