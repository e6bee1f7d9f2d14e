import type { api, EventKind, PublishedEvent as ContractEvent } from '@portico/contract'

type Kinds = {
  [
    Name in keyof typeof api as (typeof api)[Name] extends EventKind ? (typeof api)[Name]['event'] : never
  ]: (typeof api)[Name] extends EventKind ? ContractEvent<(typeof api)[Name]> : never
}

/** The events that open portals receive, by their names in the contract. */
export type EventName = keyof Kinds

/** An event with its data, place and time. */
export type PortalEvent<Name extends EventName = EventName> = { [N in Name]: Kinds[N] }[Name]
