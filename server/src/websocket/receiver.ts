import type { LoggedEvent } from '../events/read-settled.ts'
import type { Close, ErrorReply } from './protocol.ts'

/** A time on a channel, in positions of the log: what happened after `from` and up to `to`. */
export interface Stretch {
  readonly channelId: string
  readonly from: number
  readonly to: number | null
}

/** How far a connection has come. */
export interface Progress {
  readonly phase: 'idle' | 'behind' | 'live'
  /** The position up to which it was told; null: it has not subscribed. */
  readonly told: number | null
}

/** One connection of an application, among all that it has had. */
export interface StreamKey {
  readonly applicationId: string
  /** Rises with every connection of its application, which has one at a time. */
  readonly generation: number
}

/** Whom a connection stands for: an application's bot, or a person with the portal open. */
export interface Receiver {
  readonly kind: 'bot' | 'person'
  readonly accountId: string
  /** Of a bot. */
  readonly stream?: StreamKey
  /** The one channel of the protocol that it may subscribe to. */
  readonly channel: string
  /** Seconds since 1970 at which its token ends. Absent: it lives as long as its session. */
  readonly expiresAt?: number
  /** Its times on channels of the portal, up to now. */
  stretches(): Promise<readonly Stretch[]>
  /** Whether an event of one of its channels is for it. */
  wants(event: LoggedEvent): boolean
  /** Whether everything after a position is still there for it, and no more than it may ask for. */
  canRecover(after: number, top: number): Promise<boolean>
  /** The next of its events after a position and up to another, oldest first: at most a page of them. */
  readAfter(after: number, top: number): Promise<Page>
  /** Whether any of its events after a position are no longer there. */
  wasTrimmedAfter(position: number): Promise<boolean>
  /** A further token for the same receiver: when that one ends, or why the connection ends. */
  refresh(token: string): Promise<{ readonly expiresAt: number } | Close>
  /** Why it may no longer be connected, if so. */
  endedBy(): Promise<Close | undefined>
  /** How far it has come, whenever that changes in kind. */
  reached(progress: Progress): Promise<void>
  left(progress: Progress): Promise<void>
}

export interface Recorded {
  readonly seq: number
  readonly body: string
}

/** How many events are read at once. */
export const PAGE = 500

export interface Page {
  readonly recorded: readonly Recorded[]
  /** All up to here were looked at. */
  readonly upTo: number
}

/** Up to where a page goes of which these rows were read. */
export function endOf(rows: readonly { readonly seq: number }[], top: number): number {
  return rows.length < PAGE ? top : (rows.at(-1)?.seq ?? top)
}

/** The outcome of a connect command. */
export type Admission = { readonly receiver: Receiver } | { readonly error: ErrorReply } | { readonly close: Close }
