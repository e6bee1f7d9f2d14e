import type { api, EventKind, Told as ContractEvent } from '@portico/contract'

type Kinds = {
  [
    Name in keyof typeof api as (typeof api)[Name] extends EventKind ? (typeof api)[Name]['event'] : never
  ]: (typeof api)[Name] extends EventKind ? ContractEvent<(typeof api)[Name]> : never
}

/** Everything an open portal is told of, by its name in the contract. */
export type EventName = keyof Kinds

/** What happened, as the log has it: data, and where and when. */
export type PortalEvent<Name extends EventName = EventName> = { [N in Name]: Kinds[N] }[Name]
