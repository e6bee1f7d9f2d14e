import { randomUUID } from 'node:crypto'
import type { EventKind, RoomType } from '@portico/contract'
import type { Statement } from '../db/prepared.ts'
import type { LoggedEvent } from './read-settled.ts'

/** Where something happened. The room decides who receives it. */
export interface EventPlace {
  readonly channelId: string
  readonly roomId?: string
  readonly roomType?: RoomType
}

/**
 * The class of the locks on channels' logs (`event_lock` in the database). Every transaction that appends to the log holds one from
 * before it is assigned a position until it ends.
 */
export const EVENTS_LOCK = 0x706f7274

/**
 * The database assigns an event its time, and a message its id, together with the position. Until then these stand for
 * them in the JSON that is written. They are random, so that no text of a user can hold them.
 */
export const NEW_ID = randomUUID()
export const NEW_TIME = randomUUID()

/** SQL for a text in which what was assigned has taken its place. */
export function completed(text: string): string {
  return `replace(replace(${text}, '${NEW_ID}', appended.id::text), '${NEW_TIME}', appended.iso)`
}

/**
 * Changes that are written in the statement of their event, because they refer to what it is assigned: the row
 * `appended` with `seq`, `id` and `at`. The same object each time, so that its statement is put together once.
 */
export interface Change {
  readonly writes: readonly string[]
  /**
   * Queries that lock the rows to which the change refers. They run first: the holder of a channel's log lock must
   * not wait for a transaction that wants it.
   */
  readonly locks?: readonly string[]
}

/** An event that is appended to the log when its transaction commits. */
export interface NewEvent {
  readonly logged: Omit<LoggedEvent, 'seq' | 'botReaders' | 'createdAt'>
  /** Whether bots that a private room admits receive it. */
  readonly toAdmitted: boolean
  readonly change: Change | undefined
  readonly parameters: readonly unknown[]
}

/** What the database assigned: the answer to the statement that appends an event. */
export interface Appended {
  readonly seq: number
  readonly id: string
  readonly at: string
  readonly botReaders: readonly string[] | null
}

/** The envelope is written out here, once: what is stored is what every transport sends. */
export function newEvent(
  actorId: string | null,
  kind: EventKind,
  place: EventPlace,
  data: unknown,
  {
    change,
    parameters = [],
    shown,
  }: { readonly change?: Change; readonly parameters?: readonly unknown[]; readonly shown?: unknown } = {},
): NewEvent {
  const { event } = kind
  const { channelId, roomId, roomType } = place
  return {
    logged: {
      channelId,
      roomId: roomId ?? null,
      actorId,
      event,
      // What happens in the chat of a stream room is between people.
      audience: roomType === 'stream' ? 'portal' : kind.audience,
      body: JSON.stringify({ event, timestamp: NEW_TIME, channelId, data }),
      shown: shown === undefined ? null : JSON.stringify(shown),
    },
    toAdmitted: kind.fromPrivateRooms !== 'never',
    change,
    parameters,
  }
}

/** Appends an event to the log of a channel. */
export interface Append extends Statement {
  readonly channelId: string
  /** The same without locking rows first, for a transaction that holds the log of the channel already. */
  readonly whenLocked: Statement
}

const statements = new Map<Change | undefined, { readonly sql: string; readonly whenLocked: string }>()

/** `audienceIn`: the setting in which `keepAudience` has put whom the event is for. */
export function appendEvent(event: NewEvent, deadline: string | null, audienceIn: string | null = null): Append {
  const { change, parameters: ofChange, logged, toAdmitted } = event
  let texts = statements.get(change)
  if (!texts) {
    const { writes, locks } = change ?? { writes: [] }
    texts = { sql: appendAfter(ofChange.length, writes, locks), whenLocked: appendAfter(ofChange.length, writes) }
    statements.set(change, texts)
  }
  const { channelId, roomId, actorId, audience, body, shown } = logged
  const random = change ? randomUUID() : null
  const own = [
    channelId,
    roomId,
    actorId,
    logged.event,
    audience,
    body,
    toAdmitted,
    shown,
    random,
    deadline,
    audienceIn,
  ]
  const parameters = [...ofChange, ...own]
  return { sql: texts.sql, parameters, channelId, whenLocked: { sql: texts.whenLocked, parameters } }
}

function appendAfter(parameters: number, writes: readonly string[], locks: readonly string[] = []): string {
  const $ = (nth: number, type: string): string => `$${parameters + nth}::${type}`
  const [channel, room, toAdmitted, audienceIn] = [$(1, 'uuid'), $(2, 'uuid'), $(7, 'boolean'), $(11, 'text')]
  const locked = locks.map((query, nth) => `locked${nth} AS MATERIALIZED (${query}),`)
  const counted = locks.map((_, nth) => `(SELECT count(*) FROM locked${nth})`).join(' + ')
  const changes = writes.map((write, nth) => `, change${nth} AS (${write})`)
  const body = writes.length > 0 ? completed($(6, 'text')) : `replace(${$(6, 'text')}, '${NEW_TIME}', appended.iso)`
  return `WITH ${locked.join('')} appended AS MATERIALIZED (
      SELECT seq, at, iso, id
      FROM next_event_position(${channel}, ${$(9, 'text')}, ${$(10, 'timestamptz')}, ${counted || '0'})
    )${changes.join('')}
    INSERT INTO events (seq, channel_id, room_id, actor_id, event, audience, body, created_at, bot_readers, shown)
    OVERRIDING SYSTEM VALUE
    SELECT appended.seq, ${channel}, ${room}, ${$(3, 'uuid')}, ${$(4, 'text')}, ${$(5, 'text')}, ${body}, appended.at,
      CASE WHEN ${audienceIn} IS NULL THEN event_bot_readers(${channel}, ${room}, ${toAdmitted})
        ELSE nullif(current_setting(${audienceIn}), '')::uuid[] END, ${$(8, 'text')}
    FROM appended
    RETURNING seq, (SELECT id FROM appended) AS id, created_at AS at, bot_readers AS "botReaders"`
}

/**
 * Determines whom an event is for as things are now, although it is appended with the commit: what happened in a room that
 * is then deleted is for those who saw the room.
 */
export function keepAudience({ logged: { channelId, roomId }, toAdmitted }: NewEvent, setting: string): Statement {
  return { sql: KEEP_AUDIENCE, parameters: [setting, channelId, roomId, toAdmitted] }
}

const KEEP_AUDIENCE = `
  SELECT set_config($1, coalesce(event_bot_readers($2::uuid, $3::uuid, $4::boolean)::text, ''), true)`

/**
 * Locks the logs of several channels in a fixed order, so that no deadlock is possible. With `patience`, the transaction
 * then waits at most that many milliseconds for any other lock.
 */
export function lockEvents(channelIds: readonly string[], patience: number | null = null): Statement {
  return { sql: 'SELECT lock_events($1::uuid[], $2::integer)', parameters: [channelIds, patience] }
}

/** What a reader of the log gets, once it is committed. */
export function loggedEvent({ logged, change }: NewEvent, { seq, id, at, botReaders }: Appended): LoggedEvent {
  const body = logged.body.replace(NEW_TIME, at)
  return { ...logged, seq, botReaders, createdAt: at, body: change ? withAssigned(body, id, at) : body }
}

function withAssigned(text: string, id: string, at: string): string {
  return text.replaceAll(NEW_ID, id).replaceAll(NEW_TIME, at)
}

/** What portals receive: the envelope with the field `shown` added. */
export function bodyForPeople({ body, shown }: { readonly body: string; readonly shown: string | null }): string {
  return shown === null ? body : `${body.slice(0, -1)},"shown":${shown}}`
}
