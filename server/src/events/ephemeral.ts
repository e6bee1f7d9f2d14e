import type { EventData, EventKind } from '@portico/contract'
import type { Bus } from './bus.ts'

export type EphemeralKind = EventKind & { readonly ephemeral: true }

/** Everyone who can read a room except one. */
export interface RoomRecipients {
  readonly channelId: string
  readonly roomId: string
  readonly except: string
}

/** A bot, if it is connected and asks for events of this kind. */
export interface BotRecipient {
  readonly accountId: string
  readonly kind: string
}

/** Who receives an event: one person, one bot, or those of a room. */
export type Recipients = { readonly accountId: string } | BotRecipient | RoomRecipients

/** What processes send each other: complete, so that each only forwards it. */
export interface EphemeralEvent {
  readonly to: Recipients
  readonly body: string
}

export async function publishToPerson<E extends EphemeralKind>(
  bus: Bus,
  accountId: string,
  kind: E,
  channelId: E extends { readonly placeless: true } ? null : string,
  data: NoInfer<EventData<E>>,
): Promise<void> {
  await publish(bus, { accountId }, ephemeralBody(kind, channelId, data))
}

export async function publishToBot<E extends EphemeralKind>(
  bus: Bus,
  accountId: string,
  kind: E,
  channelId: string,
  data: NoInfer<EventData<E>>,
): Promise<void> {
  await publish(bus, { accountId, kind: kind.event }, ephemeralBody(kind, channelId, data))
}

export async function publishToRoom<E extends EphemeralKind>(
  bus: Bus,
  { channelId, roomId }: { readonly channelId: string; readonly roomId: string },
  except: string,
  kind: E,
  data: NoInfer<EventData<E>>,
): Promise<void> {
  await publish(bus, { channelId, roomId, except }, ephemeralBody(kind, channelId, data))
}

/** The same envelope as that of stored events. */
export function ephemeralBody({ event }: EphemeralKind, channelId: string | null, data: unknown): string {
  return JSON.stringify({ event, timestamp: new Date().toISOString(), channelId, data })
}

async function publish(bus: Bus, to: Recipients, body: string): Promise<void> {
  const event: EphemeralEvent = { to, body }
  await bus.publish('ephemeral', JSON.stringify(event))
}
