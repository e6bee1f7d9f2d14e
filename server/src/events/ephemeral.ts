import type { EventData, EventKind } from '@portico/contract'
import type { Parts } from '../operations/services.ts'

export type FleetingKind = EventKind & { readonly fleeting: true }

/** Whose open portals something is told to: one person's, or those of all who can read a room but one. */
export type Hearers =
  | { readonly accountId: string }
  | { readonly channelId: string; readonly roomId: string; readonly except: string }

/** What the processes of a portal hand each other: finished, so that each only passes it on. */
export interface Fleeting {
  readonly to: Hearers
  readonly body: string
}

export async function tellPerson<E extends FleetingKind>(
  parts: Parts,
  accountId: string,
  kind: E,
  channelId: E extends { readonly placeless: true } ? null : string,
  data: NoInfer<EventData<E>>,
): Promise<void> {
  await tell(parts, { accountId }, fleetingBody(kind, channelId, data))
}

export async function tellRoom<E extends FleetingKind>(
  parts: Parts,
  { channelId, roomId }: { readonly channelId: string; readonly roomId: string },
  except: string,
  kind: E,
  data: NoInfer<EventData<E>>,
): Promise<void> {
  await tell(parts, { channelId, roomId, except }, fleetingBody(kind, channelId, data))
}

/** The same envelope as that of events that are kept. */
export function fleetingBody({ event }: FleetingKind, channelId: string | null, data: unknown): string {
  return JSON.stringify({ event, timestamp: new Date().toISOString(), channelId, data })
}

async function tell({ bus }: Parts, to: Hearers, body: string): Promise<void> {
  const word: Fleeting = { to, body }
  await bus.tell('fleeting', JSON.stringify(word))
}
