import type { LoggedEvent } from '../events/read-settled.ts'
import type { Close, ErrorReply } from '../events/stream-codes.ts'

/** A membership of a channel in log positions: events after `from` and up to `to`. */
export interface MembershipRange {
  readonly channelId: string
  readonly from: number
  readonly to: number | null
}

/** The progress of a connection. */
export interface Progress {
  readonly phase: 'idle' | 'behind' | 'live'
  /** The position up to which events were sent; null: not subscribed. */
  readonly deliveredSeq: number | null
}

/** Identifies one connection among all that an application has had. */
export interface StreamKey {
  readonly applicationId: string
  /** Increases with every connection of the application, which has one at a time. */
  readonly generation: number
}

/** The receiver of a connection: an application's bot, or a person with an open portal. */
export interface Receiver {
  readonly kind: 'bot' | 'person'
  readonly accountId: string
  /** Set for a bot. */
  readonly stream?: StreamKey
  /** The one Centrifuge channel that it may subscribe to. */
  readonly channel: string
  /** When its token expires, in seconds since 1970. Absent: valid as long as the session. */
  readonly expiresAt?: number
  /** Its memberships of channels, up to now. */
  memberships(): Promise<readonly MembershipRange[]>
  /** Whether it receives an event of one of its channels. */
  wants(event: LoggedEvent): boolean
  /** Whether it asks for a kind of ephemeral event that is for bots. */
  wantsEphemeral(kind: string): boolean
  /** Whether everything after a position is still available and within the recovery limit. */
  canRecover(after: number, top: number): Promise<boolean>
  /** A page of its events after a position and up to another, oldest first. */
  readAfter(after: number, top: number): Promise<Page>
  /** Whether any of its events after a position were trimmed. */
  wasTrimmedAfter(position: number): Promise<boolean>
  /** Checks a new token for the same receiver: returns its expiry, or why the connection ends. */
  refresh(token: string): Promise<{ readonly expiresAt: number } | Close>
  /** Why the connection must end; undefined if it may continue. */
  endedBy(): Promise<Close | undefined>
  /** Records the progress whenever its phase changes. */
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
  /** Everything up to here was read. */
  readonly upTo: number
}

/** The last position that a page with these rows covers. */
export function findPageEnd(rows: readonly { readonly seq: number }[], top: number): number {
  return rows.length < PAGE ? top : (rows.at(-1)?.seq ?? top)
}

/** The outcome of a connect command. */
export type Admission = { readonly receiver: Receiver } | { readonly error: ErrorReply } | { readonly close: Close }
