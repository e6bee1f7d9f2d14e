import { randomUUID } from 'node:crypto'
import type { EventKind, RoomType } from '@portico/contract'
import type { Statement } from '../db/prepared.ts'
import { replacedInSql, replacePlaceholders, TIME_PLACEHOLDER, type Assigned } from './placeholders.ts'
import type { ForBots, LoggedEvent } from './read-settled.ts'

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
 * Changes that are written in the statement of their event, because they refer to what it is assigned. One statement
 * appends one event or many of the same change: the rows of `appended` have `seq`, `id`, `at`, `channel_id`, `room_id` and
 * the change's own columns. The same object each time, so that its statement is put together once.
 */
export interface Change {
  /** The change's own columns and their types, in the order of its values. */
  readonly columns: Readonly<Record<string, string>>
  readonly writes: readonly string[]
  /**
   * Queries that lock the rows to which a single event's change refers. They run first: the holder of a channel's log
   * lock must not wait for a transaction that wants it.
   */
  readonly locks?: readonly ((column: (name: string) => string) => string)[]
}

/** An event that is appended to the log when its transaction commits. */
export interface NewEvent {
  readonly logged: Omit<LoggedEvent, 'seq' | 'botReaders' | 'createdAt'>
  /** Whether bots that a private room admits receive it. */
  readonly toAdmitted: boolean
  /** The one bot that receives it; undefined: those that may know of what happens there. */
  readonly onlyFor: string | undefined
  readonly change: Change | undefined
  /** Of the columns of the change. */
  readonly values: readonly unknown[]
}

/** What the database assigned: the answer to the statement that appends an event. */
export interface Appended extends Assigned {
  readonly seq: number
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
    values = [],
    shown,
    onlyFor,
    forBots = null,
  }: {
    readonly change?: Change
    readonly values?: readonly unknown[]
    readonly shown?: unknown
    readonly onlyFor?: string
    readonly forBots?: ForBots | null
  } = {},
): NewEvent {
  const { event, botsIn } = kind
  const audience = kind.optIn ? 'opt_in' : kind.audience
  const { channelId, roomId, roomType } = place
  const isAmongPeople = botsIn !== undefined && roomType !== undefined && roomType !== botsIn
  return {
    logged: {
      channelId,
      roomId: roomId ?? null,
      actorId,
      event,
      audience: isAmongPeople ? 'portal' : audience,
      body: JSON.stringify({ event, timestamp: TIME_PLACEHOLDER, channelId, data }),
      shown: shown === undefined ? null : JSON.stringify(shown),
      forBots,
    },
    toAdmitted: kind.fromPrivateRooms !== 'never',
    onlyFor,
    change,
    values,
  }
}

/** An event in the form of the statement that appends it. */
export interface Append {
  readonly channelId: string
  readonly texts: AppendTexts
  /** Of `EVENT_COLUMNS` and the columns of the change. */
  readonly row: readonly unknown[]
  /** By the clock of the database; null: none. */
  readonly deadline: string | null
}

interface AppendTexts {
  /** For a single event. Locks the rows that its change refers to, and then the log of its channel. */
  readonly one: string
  /** For any number of events, in a transaction that holds the logs of their channels. */
  readonly all: string
}

/** `audienceIn`: the setting in which `keepAudience` has put whom the event is for. */
export function appendEvent(event: NewEvent, deadline: string | null, audienceIn: string | null = null): Append {
  const { change, values, logged, toAdmitted } = event
  const { channelId, roomId, actorId, audience, body, shown, forBots } = logged
  const more = forBots ? JSON.stringify(forBots) : null
  const random = change ? randomUUID() : null
  const own = [channelId, roomId, toAdmitted, audienceIn, random, actorId, logged.event, audience, body, shown, more]
  return { channelId, texts: textsOf(change ?? NO_CHANGE), row: [...own, ...values], deadline }
}

/** The statement that appends a single event. */
export function appendOne({ texts, row, deadline }: Append): Statement {
  return { sql: texts.one, parameters: [deadline, ...row] }
}

/**
 * One statement for events of the same texts, for a transaction that holds the logs of their channels. The events of a
 * channel must be next to each other. Positions are assigned in their order.
 */
export function appendAll(appends: readonly Append[]): Statement {
  const { texts, row } = appends[0]!
  const deadlines = appends.flatMap(({ deadline }) => deadline ?? [])
  const earliest = deadlines.reduce<string | null>((first, one) => (first === null || one < first ? one : first), null)
  return {
    sql: texts.all,
    parameters: [earliest, ...row.map((_, column) => appends.map((one) => one.row[column]))],
  }
}

const EVENT_COLUMNS = {
  channel_id: 'uuid',
  room_id: 'uuid',
  to_admitted: 'boolean',
  audience_in: 'text',
  random: 'text',
  actor_id: 'uuid',
  event: 'text',
  audience: 'text',
  body: 'text',
  shown: 'text',
  for_bots: 'json',
}

const NO_CHANGE: Change = { columns: {}, writes: [] }

const statements = new Map<Change, AppendTexts>()

function textsOf(change: Change): AppendTexts {
  let texts = statements.get(change)
  if (!texts) {
    texts = { one: appendText(change, 'one'), all: appendText(change, 'all') }
    statements.set(change, texts)
  }
  return texts
}

function appendText({ columns, writes, locks = [] }: Change, events: keyof AppendTexts): string {
  const typed = Object.entries({ ...EVENT_COLUMNS, ...columns })
  const parameters = new Map(typed.map(([name, type], index) => [name, `$${index + 2}::${type}`]))
  const isOne = events === 'one'
  const one = (name: string): string => parameters.get(name) ?? ''
  const array = (name: string): string => (isOne ? `ARRAY[${one(name)}]` : `${one(name)}[]`)
  const column = ([name]: readonly [string, string]): string =>
    `${isOne ? one(name) : `(${array(name)})[nth]`} AS ${name}`
  const locked = isOne ? locks.map((lock, nth) => `locked${nth} AS MATERIALIZED (${lock(one)}),`) : []
  const counted = locked.map((_, nth) => `(SELECT count(*) FROM locked${nth})`).join(' + ') || '0'
  const placed = ['channel_id', 'room_id', 'to_admitted', 'audience_in', 'random'].map(array)
  const changes = writes.map((write, nth) => `, change${nth} AS (${write})`)
  const body = writes.length > 0 ? replacedInSql('body') : `replace(body, '${TIME_PLACEHOLDER}', iso)`
  return `WITH ${locked.join('')} appended AS MATERIALIZED (
      SELECT seq, at, iso, id, bot_readers, ${typed.map(column).join()}
      FROM next_event_positions(${placed.join()}, $1::timestamptz, ${counted})
    ), logged AS (
      INSERT INTO events (seq, channel_id, room_id, actor_id, event, audience, body, created_at, bot_readers, shown, for_bots)
      OVERRIDING SYSTEM VALUE
      SELECT seq, channel_id, room_id, actor_id, event, audience, ${body}, at, bot_readers, shown, for_bots FROM appended
    )${changes.join('')}
    SELECT seq, id, iso AS at, bot_readers AS "botReaders" FROM appended`
}

/**
 * Determines whom an event is for as things are now, although it is appended with the commit: what happened in a room that
 * is then deleted is for those who saw the room.
 */
export function keepAudience(event: NewEvent, setting: string): Statement {
  const { logged, toAdmitted, onlyFor } = event
  const { channelId, roomId } = logged
  if (onlyFor !== undefined) return { sql: KEEP_ONLY, parameters: [setting, onlyFor] }
  return { sql: KEEP_AUDIENCE, parameters: [setting, channelId, roomId, toAdmitted] }
}

const KEEP_ONLY = 'SELECT set_config($1, ARRAY[$2::uuid]::text, true)'

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
  const body = change ? replacePlaceholders(logged.body, { id, at }) : logged.body.replace(TIME_PLACEHOLDER, at)
  return { ...logged, seq, botReaders, createdAt: at, body }
}

/** What portals receive: the envelope with the field `shown` added. */
export function bodyForPeople({ body, shown }: { readonly body: string; readonly shown: string | null }): string {
  return shown === null ? body : `${body.slice(0, -1)},"shown":${shown}}`
}

/** What a bot receives; in SQL it is `event_body_for`. */
export function bodyForBot({ body, forBots }: Pick<LoggedEvent, 'body' | 'forBots'>, botId: string): string {
  const own = forBots?.[botId]
  return own ? `${body.slice(0, -2)},${JSON.stringify(own).slice(1)}}` : body
}
