import type { Static, TSchema } from 'typebox'

/** Something that happened, told whole: a receiver needs no second request to understand it. */
export interface EventKind<S extends TSchema = TSchema> {
  readonly event: string
  readonly summary: string
  /** `bots`: part of the public contract. `portal`: told to people's open portals only. */
  readonly audience: 'bots' | 'portal'
  /** Bots admitted to a private room are told what happens there, unless this says never. */
  readonly fromPrivateRooms?: 'never'
  /** People are told only if they can read the room, not merely see it. */
  readonly forReaders?: true
  /** Told once to the portals that are open, and never kept: whoever was away has missed nothing that lasts. */
  readonly ephemeral?: true
  /** Happens on no channel: the envelope names none. */
  readonly placeless?: true
  readonly data: S
  /** What people's portals are told beside it, as `shown`, so that they need not ask either. */
  readonly shown?: TSchema
}

export type EventData<E extends EventKind> = Static<E['data']>

/** What portals are told beside the data; unknown where a kind has nothing of the sort. */
export type EventShown<E extends EventKind> = E extends { readonly shown: infer S extends TSchema }
  ? Static<S>
  : unknown

/** What people's portals receive. */
export interface Told<E extends EventKind> {
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
