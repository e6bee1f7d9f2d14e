import type { EventKind } from '@portico/contract'
import type { Actor } from '../actor.ts'
import { newId } from '../ids.ts'

/** Where something happened. The room decides who may be told. */
export interface EventPlace {
  readonly channelId: string
  readonly roomId?: string
}

/** The envelope is written out here, once: what is stored is what every transport sends. */
export function eventRow(actor: Actor, kind: EventKind, place: EventPlace, data: unknown) {
  const timestamp = new Date().toISOString()
  return {
    id: newId(),
    channel_id: place.channelId,
    room_id: place.roomId ?? null,
    actor_id: 'id' in actor ? actor.id : null,
    event: kind.event,
    audience: kind.audience,
    body: JSON.stringify({ event: kind.event, timestamp, channelId: place.channelId, data }),
    created_at: timestamp,
  }
}
