import { streamLiveChanged, voiceMemberJoined, voiceMemberLeft, type RoomType } from '@portico/contract'
import { sql, type Kysely } from 'kysely'
import type { Tables } from '../db/tables.ts'
import { cannot } from '../operations/refusal.ts'
import type { Tx } from '../operations/transaction.ts'

export interface VoiceRoom {
  readonly channelId: string
  readonly roomId: string
  readonly roomType: RoomType
  readonly userLimit: number | null
}

/** A voice or stream room, whose members have the same kind of sessions. */
export interface OccupiedRoom {
  readonly roomId: string
  readonly roomType: RoomType
}

/** One member's presence in one room. */
export interface VoiceSession {
  readonly channelId: string
  readonly accountId: string
  readonly roomId: string
  readonly joinedAt: string
}

export interface KnownVoiceSession extends VoiceSession {
  readonly isBot: boolean
  readonly roomType: RoomType
  readonly live: boolean
}

export interface VoiceMember {
  readonly id: string
  /** The channel nickname where there is one, else the name. */
  readonly shownName: string
}

/**
 * The member's voice room in the channel, if any. Locks the member before any room: no other transaction can move them, so
 * every session publishes one joined and one left event.
 */
export async function roomOfMember(
  tx: Tx,
  channelId: string,
  accountId: string,
): Promise<(OccupiedRoom & Pick<VoiceSession, 'joinedAt'>) | undefined> {
  tx.queue(
    tx.db
      .selectFrom('members')
      .select('account_id')
      .where('channel_id', '=', channelId)
      .where('account_id', '=', accountId)
      .forNoKeyUpdate(),
  )
  return tx.db
    .selectFrom('voice_sessions as v')
    .innerJoin('rooms as o', 'o.id', 'v.room_id')
    .select(['o.id as roomId', 'o.type as roomType', 'v.joined_at as joinedAt'])
    .where('v.channel_id', '=', channelId)
    .where('v.account_id', '=', accountId)
    .executeTakeFirst()
}

/** Moves a member into a voice room and returns the room that they left, if any. Refuses if the room is full. */
export async function enterRoom(tx: Tx, room: VoiceRoom, member: VoiceMember): Promise<string | undefined> {
  const current = await roomOfMember(tx, room.channelId, member.id)
  if (current?.roomId === room.roomId) return undefined
  await lockRoom(tx, room.roomId)
  if (room.userLimit !== null && (await countIn(tx, room.roomId)) >= room.userLimit) {
    throw cannot('The voice room is full.', 'room_full')
  }

  const session = { channel_id: room.channelId, account_id: member.id, room_id: room.roomId }
  tx.queue(
    tx.db
      .insertInto('voice_sessions')
      .values(session)
      .onConflict((conflict) =>
        conflict
          .columns(['channel_id', 'account_id'])
          .doUpdateSet({ room_id: room.roomId, joined_at: sql`now()`, live: false }),
      ),
  )
  if (current) emitLeft(tx, { channelId: room.channelId, ...current }, member.id)
  const user = { id: member.id, name: member.shownName }
  const actorId = ownActor(tx, member.id)
  const shown = { moved: actorId === null }
  tx.emit(voiceMemberJoined, room, { roomId: room.roomId, user }, { actorId, shown })
  return current?.roomId
}

/** Ends a member's voice session in the channel, including media. Returns the room, or undefined. */
export async function endVoiceSession(tx: Tx, channelId: string, accountId: string): Promise<string | undefined> {
  const room = await roomOfMember(tx, channelId, accountId)
  if (!room) return undefined
  const { roomId } = room
  tx.queue(tx.db.deleteFrom('voice_sessions').where('channel_id', '=', channelId).where('account_id', '=', accountId))
  emitLeft(tx, { channelId, ...room }, accountId)
  tx.afterCommit(({ media }) => media.remove(roomId, accountId))
  return roomId
}

/** All voice sessions of the portal. */
export function allVoiceSessions(db: Kysely<Tables>): Promise<KnownVoiceSession[]> {
  return selectVoiceSessions(db).execute()
}

/** A member's voice session in one room; empty if there is none. */
export function voiceSessionsOf(
  db: Kysely<Tables>,
  { roomId, accountId }: Pick<VoiceSession, 'roomId' | 'accountId'>,
): Promise<KnownVoiceSession[]> {
  return selectVoiceSessions(db).where('v.room_id', '=', roomId).where('v.account_id', '=', accountId).execute()
}

function selectVoiceSessions(db: Kysely<Tables>) {
  return db
    .selectFrom('voice_sessions as v')
    .innerJoin('members as m', (join) =>
      join.onRef('m.channel_id', '=', 'v.channel_id').onRef('m.account_id', '=', 'v.account_id'),
    )
    .innerJoin('rooms as o', 'o.id', 'v.room_id')
    .select(['v.channel_id as channelId', 'v.account_id as accountId', 'v.room_id as roomId'])
    .select(['v.joined_at as joinedAt', 'm.is_bot as isBot', 'o.type as roomType', 'v.live'])
}

/** Notes that a member began or stopped broadcasting. Of several processes that notice it, one publishes the event. */
export async function setLive(tx: Tx, session: KnownVoiceSession, live: boolean): Promise<void> {
  const { channelId, accountId, roomId, roomType } = session
  const { numUpdatedRows } = await tx.db
    .updateTable('voice_sessions')
    .set({ live })
    .where('channel_id', '=', channelId)
    .where('account_id', '=', accountId)
    .where('room_id', '=', roomId)
    .where('live', '!=', live)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return
  tx.emit(streamLiveChanged, { channelId, roomId, roomType }, { roomId, user: { id: accountId }, live })
}

/** Ends this voice session, but not a newer one of the same member. */
export async function endThisVoiceSession(
  tx: Tx,
  { channelId, accountId, roomId, joinedAt }: VoiceSession,
): Promise<void> {
  const current = await roomOfMember(tx, channelId, accountId)
  if (current?.roomId === roomId && current.joinedAt === joinedAt) await endVoiceSession(tx, channelId, accountId)
}

/** Ends all voice sessions of a person who may no longer use the portal. */
export async function endAllVoiceSessions(tx: Tx, accountId: string): Promise<void> {
  const sessions = await tx.db
    .selectFrom('voice_sessions')
    .select('channel_id')
    .where('account_id', '=', accountId)
    .orderBy('channel_id')
    .execute()
  for (const { channel_id } of sessions) await endVoiceSession(tx, channel_id, accountId)
}

/** Ends all voice sessions in a channel that is about to be deleted. */
export async function emptyRoomsOf(tx: Tx, channelId: string): Promise<void> {
  const rooms = await tx.db
    .selectFrom('rooms')
    .select(['id as roomId', 'type as roomType'])
    .where('channel_id', '=', channelId)
    .where('id', 'in', (query) =>
      query.selectFrom('voice_sessions').select('room_id').where('channel_id', '=', channelId),
    )
    .orderBy('id')
    .execute()
  for (const room of rooms) await emptyRoom(tx, { channelId, ...room })
}

/** Ends all voice sessions in a room that is about to be deleted. */
export async function emptyRoom(tx: Tx, room: OccupiedRoom & { readonly channelId: string }): Promise<void> {
  const { roomId } = room
  await lockRoom(tx, roomId)
  const sessions = await tx.db
    .deleteFrom('voice_sessions')
    .where('room_id', '=', roomId)
    .returning('account_id')
    .execute()
  for (const { account_id } of sessions) {
    emitLeft(tx, room, account_id)
    tx.afterCommit(({ media }) => media.remove(roomId, account_id))
  }
}

export function emitLeft(tx: Tx, room: OccupiedRoom & { readonly channelId: string }, accountId: string): void {
  const { channelId, roomId, roomType } = room
  const user = { id: accountId }
  tx.emit(
    voiceMemberLeft,
    { channelId, roomId, roomType },
    { roomId: null, user },
    { actorId: ownActor(tx, accountId) },
  )
}

/** A bot that moves or removes a member receives the events about it like any other bot. */
function ownActor({ actor }: Tx, accountId: string): string | null {
  return 'id' in actor && actor.id === accountId ? accountId : null
}

/** Serializes joins: of two concurrent members, only one gets the last place. */
export async function lockRoom(tx: Tx, roomId: string): Promise<void> {
  await sql`SELECT FROM rooms WHERE id = ${roomId}::uuid FOR NO KEY UPDATE`.execute(tx.db)
}

async function countIn(tx: Tx, roomId: string): Promise<number> {
  const { count } = await tx.db
    .selectFrom('voice_sessions')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('room_id', '=', roomId)
    .executeTakeFirstOrThrow()
  return count
}
