import type {
  Call,
  Closed,
  Delivered,
  Entry,
  Head,
  Lost,
  Received,
  Receiver,
  Return,
  Subscribed,
} from '../history/history.ts'
import { groupBy } from './group-by.ts'
import { compactBody } from './compact-body.ts'
import type { Circumstance, Exchange, Run } from './exchanges.ts'
import { marksIn } from './marks.ts'

/** Puts the entries of a history together. Keeps of long answers only what checks need. */
export class RunBuilder {
  readonly #exchanges: Exchange[] = []
  /** Calls without an answer so far, by number, with their position among the exchanges. */
  readonly #open = new Map<number, number>()
  readonly #receivers: Receiver[] = []
  readonly #events: Received[] = []
  readonly #deliveries: Delivered[] = []
  readonly #connections: (Subscribed | Closed)[] = []
  readonly #entries: Circumstance[] = []
  #head: Head | undefined
  #quietAt = Infinity
  #endsAt = 0
  #isComplete = false
  /** When the database was last cut off without breaking its connections. */
  #cutOffAt = -Infinity
  /** Infinite while the machine is overloaded. */
  #busyUntil = -Infinity

  /** `line`: the entry as it is in the file, if it is at hand. */
  add(entry: Entry, line?: string): void {
    this.#endsAt = Math.max(this.#endsAt, entry.at)
    switch (entry.kind) {
      case 'call':
        this.#call(entry)
        break
      case 'return':
      case 'lost':
        this.#end(entry, line)
        break
      case 'event':
        this.#events.push(entry)
        break
      case 'delivery':
        this.#deliveries.push(entry)
        break
      default:
        this.#circumstance(entry)
    }
  }

  build(): Run {
    if (!this.#head) throw new Error('the history has no head')
    // What other processes report arrives a little later than it happened.
    const exchanges = this.#exchanges.sort((a, b) => a.at - b.at)
    return {
      head: this.#head,
      exchanges,
      byOperation: groupBy(exchanges, ({ operation }) => operation),
      arrivals: groupBy<Received | Delivered>([...this.#events, ...this.#deliveries], ({ receiver }) => receiver),
      connections: groupBy(this.#connections, ({ receiver }) => receiver),
      receivers: this.#receivers,
      events: this.#events,
      deliveries: this.#deliveries,
      entries: this.#entries,
      quietAt: this.#quietAt,
      endsAt: this.#endsAt,
      isComplete: this.#isComplete,
    }
  }

  #call(call: Call): void {
    this.#open.set(call.call, this.#exchanges.length)
    this.#exchanges.push({ ...call, ...NO_ANSWER, lost: NOT_YET })
  }

  #end(entry: Return | Lost, line: string | undefined): void {
    const position = this.#open.get(entry.call)
    this.#open.delete(entry.call)
    const exchange = position === undefined ? undefined : this.#exchanges[position]
    if (position === undefined || !exchange) return
    if (entry.kind === 'lost') {
      this.#exchanges[position] = {
        ...exchange,
        lost: entry.why,
        ...(BROKEN.test(entry.why) && { brokenAt: entry.at }),
      }
      return
    }
    const { at: end, status, body, headers } = entry
    if (isOfProxy(entry)) {
      this.#exchanges[position] = { ...exchange, headers, lost: `${OF_PROXY} ${status}` }
      return
    }
    if (status === 504 && exchange.at < Math.max(this.#cutOffAt, this.#busyUntil)) {
      this.#exchanges[position] = { ...exchange, headers, lost: UNACKNOWLEDGED, readBy: end }
      return
    }
    const { lost: _open, ...call } = exchange
    const marks = marksIn(line ?? JSON.stringify(body))
    this.#exchanges[position] = { ...call, end, status, body: compactBody(call, body), headers, marks }
  }

  #circumstance(entry: Circumstance): void {
    if (entry.kind === 'head') this.#head = entry
    if (entry.kind === 'receiver') this.#receivers.push(entry)
    if (entry.kind === 'subscribed' || entry.kind === 'closed') this.#connections.push(entry)
    if (entry.kind === 'fault' && entry.what === 'begins' && CUTS_OFF.has(entry.fault)) this.#cutOffAt = entry.at
    if (entry.kind === 'busy') this.#busyUntil = entry.what === 'begins' ? Infinity : entry.at
    if (entry.kind === 'phase' && entry.phase === 'quiet') this.#quietAt = entry.at
    if (entry.kind === 'phase' && entry.phase === 'over') this.#isComplete = true
    this.#entries.push(entry)
  }
}

export function indexRun(entries: readonly Entry[]): Run {
  const builder = new RunBuilder()
  for (const entry of entries) builder.add(entry)
  return builder.build()
}

const NO_ANSWER = { end: Infinity, status: undefined, body: undefined, headers: {}, marks: [] }
/** The program, or what is in front of it, has closed the connection. */
const BROKEN = /ECONNRESET|ECONNREFUSED|EPIPE|socket hang up/
export const NOT_YET = 'the run ended'
export const OF_PROXY = 'answered by the proxy:'

/**
 * Of a request during which one of these began, or the machine was overloaded: it may have been committed, and the acknowledgment lost
 * or late. This is the window that docs/decisions/0016-request-deadlines.md names.
 */
const UNACKNOWLEDGED = 'answered 504 while its commit may have been under way'
const CUTS_OFF: ReadonlySet<string> = new Set(['hold-postgres', 'freeze-postgres'])

/** A proxy that lost the program answers itself. What the program did is unknown then. */
function isOfProxy({ status, body }: Return): boolean {
  if (status < 502 || status > 504) return false
  return typeof body !== 'object' || body === null || (body as { status?: unknown }).status !== 'error'
}
