import type { Static, TSchema } from 'typebox'

/** Something that happened, told whole: a receiver needs no second request to understand it. */
export interface EventKind<S extends TSchema = TSchema> {
  readonly event: string
  readonly summary: string
  /** `bots`: part of the public contract. `portal`: told to people's open portals only. */
  readonly audience: 'bots' | 'portal'
  /** Bots admitted to a private room are told what happens there, unless this says never. */
  readonly fromPrivateRooms?: 'never'
  readonly data: S
}

export type EventData<E extends EventKind> = Static<E['data']>

export function eventKind<const E extends EventKind>(definition: E): E {
  return definition
}

export function isEventKind(value: unknown): value is EventKind {
  return typeof value === 'object' && value !== null && 'event' in value && 'data' in value
}
