import type { EventKind, RoomType } from '@portico/contract'
import type { Actor } from '../actor.ts'
import type { Statement } from '../db/prepared.ts'
import type { LoggedEvent } from './read-settled.ts'

/** Where something happened. The room decides who may be told. */
export interface EventPlace {
  readonly channelId: string
  readonly roomId?: string
  readonly roomType?: RoomType
}

/** Held, shared, by every transaction that writes to the log, from before it takes a position until it ends. */
export const WRITERS_LOCK = 0x706f7274

/** Its parameters follow those of the change that it tells of. */
function insertAfter({ sql, parameters }: Statement): string {
  const $ = (nth: number, type: string): string => `$${parameters.length + nth}::${type}`
  const [channel, room] = [$(1, 'uuid'), $(2, 'uuid')]
  return `${sql && `WITH change AS (${sql})`}
    INSERT INTO events (channel_id, room_id, actor_id, event, audience, body, created_at, only_for, shown)
    SELECT ${channel}, ${room}, ${$(3, 'uuid')}, ${$(4, 'text')}, ${$(5, 'text')}, ${$(6, 'text')}, ${$(7, 'timestamptz')},
      event_only_for(${channel}, ${room}, ${$(8, 'boolean')}), ${$(9, 'text')}
    FROM pg_advisory_xact_lock_shared(${WRITERS_LOCK})
    RETURNING seq, only_for AS "onlyFor"`
}

/** What the database adds to an event: the statement's answer. */
export type Position = Pick<LoggedEvent, 'seq' | 'onlyFor'>

export interface EventStatement extends Statement {
  /** With its position, what a reader of the log gets once it is committed. */
  readonly event: Omit<LoggedEvent, keyof Position>
}

const NOTHING: Statement = { sql: '', parameters: [] }
const inserts = new Map<string, string>()

/** The envelope is written out here, once: what is stored is what every transport sends. */
export function eventStatement(
  actor: Actor,
  kind: EventKind,
  place: EventPlace,
  data: unknown,
  { change = NOTHING, shown }: { readonly change?: Statement; readonly shown?: unknown } = {},
): EventStatement {
  const sql = inserts.get(change.sql) ?? insertAfter(change)
  inserts.set(change.sql, sql)
  const { event } = kind
  const { channelId, roomId, roomType } = place
  // What happens in the chat of a stream room is between people.
  const audience = roomType === 'stream' ? 'portal' : kind.audience
  const timestamp = new Date().toISOString()
  const logged = {
    channelId,
    roomId: roomId ?? null,
    actorId: 'id' in actor ? actor.id : null,
    event,
    audience,
    body: JSON.stringify({ event, timestamp, channelId, data }),
    shown: shown === undefined ? null : JSON.stringify(shown),
    createdAt: timestamp,
  }
  const toldToAdmitted = kind.fromPrivateRooms !== 'never'
  const { actorId, body } = logged
  const told = [channelId, logged.roomId, actorId, event, audience, body, timestamp, toldToAdmitted, logged.shown]
  return { sql, parameters: [...change.parameters, ...told], event: logged }
}

/** What people's portals are sent: the envelope, with what is shown beside it as one more field. */
export function bodyForPeople({ body, shown }: { readonly body: string; readonly shown: string | null }): string {
  return shown === null ? body : `${body.slice(0, -1)},"shown":${shown}}`
}
