import type { api, EventKind, PublishedEvent as ContractEvent } from '@portico/contract'

/** Opt-in events are for bots: portals receive others of the same names. */
type PortalKind<K> = K extends { readonly optIn: true } ? never : K extends EventKind ? K['event'] : never

type Kinds = {
  [Name in keyof typeof api as PortalKind<(typeof api)[Name]>]: (typeof api)[Name] extends EventKind
    ? ContractEvent<(typeof api)[Name]>
    : never
}

/** From the page's own socket: from now on it also receives the ephemeral events of a room on the screen. */
interface RoomSubscribed {
  readonly event: 'room.subscribed'
  readonly data: { readonly roomId: string }
}

/** The events that open portals receive, by their names in the contract. */
export type EventName = keyof Kinds

/** An event with its data, place and time. */
export type PortalEvent<Name extends EventName = EventName> = { [N in Name]: Kinds[N] }[Name]

/** The events of the page, by name. */
export type PageEvents = Kinds & { 'room.subscribed': RoomSubscribed }
