import {
  rightsOf,
  type Access,
  type Right,
  type RightsInput,
  type RoleColor,
  type RoleName,
  type RoomType,
} from '@portico/contract'
import { CompiledQuery } from 'kysely'
import type { Pool } from 'pg'
import type { Actor } from './actor.ts'
import { lockChannel } from './lock-channel.ts'
import { batchReads } from '../db/batch.ts'
import type { Services } from './services.ts'
import { missingRight, muted, noSuchRoom, notAMember } from './access-refusals.ts'
import { Refusal, cannot } from './refusal.ts'
import { ROLE_FACTS, ROLE_IDS_OF_MEMBER } from './roles-of-member.ts'
import type { Tx } from './transaction.ts'

export interface RoleFacts {
  readonly id: string
  readonly systemName: RoleName
  readonly name: string
  readonly color: RoleColor | null
  readonly rank: number
  readonly rights: readonly Right[]
}

/** A channel of which the actor is a member. Only `authorize` returns one. */
export interface ChannelPlace {
  readonly channelId: string
  readonly channelName: string
  readonly ownerId: string
  readonly nickname: string | null
  /** Highest first; never empty. */
  readonly roles: readonly RoleFacts[]
  readonly rank: number
  readonly rights: ReadonlySet<Right>
}

/** A room that the actor may see, and in which they have the right that the operation requires. */
export interface RoomPlace extends ChannelPlace {
  readonly roomId: string
  readonly roomType: RoomType
  readonly roomName: string
  readonly private: boolean
  readonly userLimit: number | null
}

export type PlaceOf<A> = A extends { room: readonly RoomType[] }
  ? RoomPlace
  : A extends { channel: true }
    ? ChannelPlace
    : undefined

/** All that decides what a member may do in a place, as the database has it. */
export interface PlaceRow {
  channelId: string
  channelName: string
  ownerId: string
  nickname: string | null
  chatMuted: boolean
  voiceMuted: boolean
  /** One of the mutes ends by itself. */
  muteEnds: boolean | null
  roles: RoleFacts[]
  roomId: string | null
  roomType: RoomType
  roomName: string
  private: boolean
  userLimit: number | null
  admitted: boolean
  overrides: RightsInput['overrides'] | null
}

/** The place that a request names. A room alone determines its channel. */
export interface PlaceInput {
  readonly channelId?: string
  readonly roomId?: string
}

/** What was read of a place together with the caller's key, before the body of the request arrived. */
export interface LookAhead {
  readonly at: PlaceInput
  readonly row: PlaceRow | undefined
}

/** Who makes a request. */
export interface Caller {
  readonly actor: Actor
  /** What was read of the place when the actor was authenticated: it saves `authorize` a statement. */
  readonly lookAhead?: LookAhead
}

/** The position among the requested places, from 1. */
export interface Positioned {
  readonly position: number
}

/** A member and a place: a row of the input of the statement below. */
type RequestedPlace = readonly [accountId: string, channelId: string | null, roomId: string | null]

/** SQL for all that decides what an account may do in the place of `requested`. No row: it is not a member there. */
export const placeOf = (account: string): string => `
  SELECT c.id AS "channelId", c.name AS "channelName", c.owner_id AS "ownerId", m.nickname,
    m.chat_muted AND (m.chat_muted_until IS NULL OR m.chat_muted_until > now()) AS "chatMuted",
    m.voice_muted AND (m.voice_muted_until IS NULL OR m.voice_muted_until > now()) AS "voiceMuted",
    (m.chat_muted AND m.chat_muted_until > now()) OR (m.voice_muted AND m.voice_muted_until > now()) AS "muteEnds",
    r.roles,
    o.id AS "roomId", o.type AS "roomType", o.name AS "roomName", o.private, o.user_limit AS "userLimit",
    o.private AND EXISTS (
      SELECT FROM room_admissions a
      WHERE a.room_id = o.id AND (a.account_id = m.account_id OR a.role_id = ANY (r.ids))
    ) AS admitted,
    (
      SELECT json_agg(json_build_object('roleId', v.role_id, 'allow', v.allow, 'deny', v.deny))
      FROM room_overrides v WHERE v.room_id = o.id AND v.role_id = ANY (r.ids)
    ) AS overrides
  FROM members m
  JOIN channels c ON c.id = m.channel_id AND c.deleted_at IS NULL
  CROSS JOIN LATERAL (
    SELECT array_agg(id) AS ids, ${ROLE_FACTS} AS roles
    FROM roles WHERE id = ANY (${ROLE_IDS_OF_MEMBER})
  ) r
  LEFT JOIN rooms o ON o.id = requested.room_id AND o.channel_id = m.channel_id
  WHERE m.account_id = ${account}
    AND m.channel_id = coalesce(requested.channel_id, (SELECT channel_id FROM rooms WHERE id = requested.room_id))`

/** For many members and places in one statement. */
export const READ_PLACES = `
  SELECT requested.position::int AS position, place.*
  FROM unnest($1::uuid[], $2::uuid[], $3::uuid[]) WITH ORDINALITY AS requested (account_id, channel_id, room_id, position)
  CROSS JOIN LATERAL (${placeOf('requested.account_id')}) place`

const readOnePlace = batchReads<PlaceRow>(async (pool, keys) => {
  const places = await readPlaces(
    pool,
    keys.map((key) => JSON.parse(key) as RequestedPlace),
  )
  return new Map([...places].map(([position, row]) => [keys[position] ?? '', row]))
})

/** A row stays valid until something changes, except where a mute ends by itself. */
export function isCacheable({ muteEnds }: PlaceRow): boolean {
  return !muteEnds
}

/** What decides in many places, by their position from 0. Places of non-members are left out. */
export async function readPlaces(
  pool: Pool,
  requested: readonly RequestedPlace[],
): Promise<ReadonlyMap<number, PlaceRow>> {
  const { rows } = await pool.query<PlaceRow & Positioned>({
    name: 'places',
    text: READ_PLACES,
    values: columnsOf(requested),
  })
  return new Map(rows.map((row) => [row.position - 1, row]))
}

export type Place = ChannelPlace | RoomPlace

export interface AuthorizeOptions {
  /** What was read of the place when the caller was authenticated. */
  readonly lookAhead?: LookAhead | undefined
  /** Reads the place in this transaction, after locking the channel if the operation asks for it. */
  readonly tx?: Pick<Tx, 'db'>
}

/**
 * The only way to get hold of a channel or room: is the actor a member, does the room belong to the channel, may they see
 * it, is it of the right type, do they have the right. Refuses in that order. The place comes from the transaction, the
 * look-ahead, the access cache or a batched statement, in that order.
 */
export async function authorize(
  services: Pick<Services, 'database'>,
  actor: Actor,
  input: PlaceInput,
  access: Access,
  { lookAhead, tx }: AuthorizeOptions = {},
): Promise<Place> {
  if (tx) return judgePlace(actor, input, access, await readLocked(tx, actor, input, access))
  const row = lookAhead && isOf(lookAhead, input, access) ? lookAhead.row : readPlace(services, actor, input, access)
  return judgePlace(actor, input, access, row instanceof Promise ? await row : row)
}

async function readLocked(
  tx: Pick<Tx, 'db'>,
  actor: Actor,
  input: PlaceInput,
  access: Access,
): Promise<PlaceRow | undefined> {
  const requested = requestedPlace(actor, input, access)
  const [, channelId] = requested
  // Locked before the place is read: a right that another change takes away meanwhile is seen to be gone.
  if (access.exclusive && channelId !== null) await lockChannel(tx, channelId)
  const { rows } = await tx.db.executeQuery<PlaceRow>(CompiledQuery.raw(READ_PLACES, columnsOf([requested])))
  return rows[0]
}

/** Whether it was read of this place. A look-ahead by room alone has found the channel of the room. */
function isOf({ at, row }: LookAhead, { channelId, roomId }: PlaceInput, access: Access): boolean {
  if (access.room && at.roomId !== roomId) return false
  return at.channelId === channelId || (at.channelId === undefined && row?.channelId === channelId)
}

/** What decides there, before anything is judged. Undefined: the actor is not a member. */
export function readPlace(
  { database: { pool, accessCache } }: Pick<Services, 'database'>,
  actor: Actor,
  input: PlaceInput,
  access: Access,
): PlaceRow | undefined | Promise<PlaceRow | undefined> {
  const requested = JSON.stringify(requestedPlace(actor, input, access))
  return accessCache.getOrLoad(readOnePlace, requested, () => readOnePlace(pool, requested), isCacheable)
}

export function judgePlace(actor: Actor, input: PlaceInput, access: Access, row: PlaceRow | undefined): Place {
  return judge(actor, requestedPlace(actor, input, access), access, row)
}

function requestedPlace(actor: Actor, { channelId, roomId }: PlaceInput, access: Access): RequestedPlace {
  if (actor.kind !== 'person' && actor.kind !== 'bot' && actor.kind !== 'program') throw new Refusal('unauthorized')
  return [actor.id, channelId ?? null, (access.room && roomId) ?? null]
}

function columnsOf(requested: readonly RequestedPlace[]): unknown[] {
  return [
    requested.map(([accountId]) => accountId),
    requested.map(([, channelId]) => channelId),
    requested.map(([, , id]) => id),
  ]
}

function judge(actor: Actor, [actorId, channelId]: RequestedPlace, access: Access, row?: PlaceRow): Place {
  if (!row) throw channelId === null ? noSuchRoom() : notAMember(actor)

  const isOwner = row.ownerId === actorId
  if (access.room) refuseRoom(row, typesFor(actor, access), isOwner)

  const rights = rightsIn(row, isOwner)
  if (access.right && !rights.has(access.right)) {
    const unmuted = { ...rightsInputOf(row, isOwner), chatMuted: false, voiceMuted: false }
    const withheld = rightsOf(unmuted).has(access.right)
    throw withheld ? muted(access.right) : missingRight(access.right)
  }

  const channel = {
    channelId: row.channelId,
    channelName: row.channelName,
    ownerId: row.ownerId,
    nickname: row.nickname,
    roles: row.roles,
    rank: row.roles[0]?.rank ?? 0,
    rights,
  }
  if (row.roomId === null) return channel
  const { roomType, roomName, userLimit } = row
  return { ...channel, roomId: row.roomId, roomType, roomName, private: row.private, userLimit }
}

/** Computed once per cached row: a row belongs to one member in one place. */
const rightsOfRows = new WeakMap<PlaceRow, ReadonlySet<Right>>()

function rightsIn(row: PlaceRow, isOwner: boolean): ReadonlySet<Right> {
  let rights = rightsOfRows.get(row)
  if (!rights) rightsOfRows.set(row, (rights = rightsOf(rightsInputOf(row, isOwner))))
  return rights
}

/** What `rightsOf` judges by. */
export function rightsInputOf(row: PlaceRow, isOwner: boolean): RightsInput {
  return { ...row, overrides: row.overrides ?? [], isOwner }
}

function typesFor({ kind }: Actor, { room = [], roomOfPeople = [] }: Access): readonly RoomType[] {
  return kind === 'person' ? [...room, ...roomOfPeople] : room
}

function refuseRoom(row: PlaceRow, types: readonly RoomType[], isOwner: boolean): void {
  if (row.roomId === null || !isSeen(row, isOwner)) {
    throw noSuchRoom()
  }
  if (!types.includes(row.roomType)) {
    throw cannot(`The room is a ${row.roomType} room; this needs a ${types.join(' or ')} room.`, 'wrong_room_type')
  }
}

/** A private room is visible to those whom it admits, and to the owner. */
export function isSeen(row: PlaceRow, isOwner: boolean): boolean {
  return !row.private || row.admitted || isOwner
}
