import type { Static, TSchema } from 'typebox'
import type { RoomType } from './operation.ts'

/** Something that happened, complete: a receiver needs no second request to understand it. */
export interface EventKind<S extends TSchema = TSchema> {
  readonly event: string
  readonly summary: string
  /** `bots`: part of the public contract. `portal`: sent only to people's open portals. */
  readonly audience: 'bots' | 'portal'
  /** Of those for bots: only for applications that ask for it. Portals receive an event of their own. */
  readonly optIn?: true
  /** It tells an application about its installation, and reaches it also after that has ended. */
  readonly aboutInstallation?: true
  /** The type of room whose events bots receive. In rooms of other types it is between people. */
  readonly botsIn?: RoomType
  /** Bots admitted to a private room receive the events of that room, unless this says never. */
  readonly fromPrivateRooms?: 'never'
  /** Sent only to people who can read the room, not merely see it. */
  readonly forReaders?: true
  /** Ephemeral: sent once to open portals and never stored. */
  readonly ephemeral?: true
  /** Belongs to no channel: the envelope has no `channelId`. */
  readonly placeless?: true
  readonly data: S
  /** What open portals receive in addition, as `shown`, so that they need no request either. */
  readonly shown?: TSchema
}

export type EventData<E extends EventKind> = Static<E['data']>

/** What portals receive in addition to the data; unknown if the kind has nothing of the sort. */
export type EventShown<E extends EventKind> = E extends { readonly shown: infer S extends TSchema }
  ? Static<S>
  : unknown

/** What people's portals receive. */
export interface PublishedEvent<E extends EventKind> {
  readonly event: E['event']
  readonly timestamp: string
  readonly channelId: E extends { readonly placeless: true } ? null : string
  readonly data: EventData<E>
  readonly shown: EventShown<E>
}

export function eventKind<const E extends EventKind>(definition: E): E {
  return definition
}

export function isEventKind(value: unknown): value is EventKind {
  return typeof value === 'object' && value !== null && 'event' in value && 'data' in value
}
