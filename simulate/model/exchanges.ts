import type { Call, Closed, Delivered, Entry, Head, Received, Receiver, Subscribed } from '../history/history.ts'
import type { OperationName } from '../history/operations.ts'

/** A request with what became of it. */
export interface Exchange extends Call {
  /** When the answer arrived; `Infinity` if it never did. */
  readonly end: number
  /** Undefined if there was no answer, or only one of the proxy: the request may have been carried out. */
  readonly status: number | undefined
  readonly body: unknown
  readonly headers: Readonly<Record<string, string>>
  /** Why there was none. */
  readonly lost?: string
  /** When the other side broke the connection instead. */
  readonly brokenAt?: number
  /** When the program answered that it doesn’t know what became of the request: it had read it by then. */
  readonly readBy?: number
  /** The marks of all texts that the answer contains. */
  readonly marks: readonly string[]
}

export function isDone({ status }: Exchange): boolean {
  return status !== undefined && status < 300
}

/** Whether a request sends a message, as a whole or its beginning. */
export function isSending({ operation }: Pick<Exchange, 'operation'>): boolean {
  return operation === 'send' || operation === 'startStream'
}

/** It certainly had no effect. */
export function isRefused({ status }: Exchange): boolean {
  return status !== undefined && status >= 300
}

/** Entries that are neither requests nor arrivals. */
export type Circumstance = Exclude<Entry, { kind: 'call' | 'return' | 'lost' | 'event' | 'delivery' }>

/** The history, by kinds. */
export interface Run {
  readonly head: Head
  /** In the order in which they were sent. */
  readonly exchanges: readonly Exchange[]
  readonly byOperation: ReadonlyMap<string, readonly Exchange[]>
  readonly receivers: readonly Receiver[]
  readonly events: readonly Received[]
  readonly deliveries: readonly Delivered[]
  /** The beginnings and ends of each receiver’s connections. */
  readonly connections: ReadonlyMap<string, readonly (Subscribed | Closed)[]>
  /** Events and deliveries, by receiver. */
  readonly arrivals: ReadonlyMap<string, readonly (Received | Delivered)[]>
  /** Everything else. */
  readonly entries: readonly Circumstance[]
  /** When everybody stopped acting. */
  readonly quietAt: number
  /** The time of the last entry. */
  readonly endsAt: number
  /** The history goes on to its end; otherwise the run is still going on, or was interrupted. */
  readonly isComplete: boolean
}

/** The requests for an operation, in the order in which they were sent. */
export function exchangesOf({ byOperation }: Pick<Run, 'byOperation'>, operation: OperationName): readonly Exchange[] {
  return byOperation.get(operation) ?? []
}

export function of<Kind extends Circumstance['kind']>(
  entries: readonly Circumstance[],
  kind: Kind,
): Extract<Circumstance, { kind: Kind }>[] {
  return entries.filter((entry): entry is Extract<Circumstance, { kind: Kind }> => entry.kind === kind)
}
