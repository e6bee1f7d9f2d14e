import { voiceMemberJoined, voiceMemberLeft } from '@portico/contract'
import { sql } from 'kysely'
import { cannot } from '../refusal.ts'
import type { Tx } from '../transaction.ts'

export interface VoiceRoom {
  readonly channelId: string
  readonly roomId: string
  readonly userLimit: number | null
}

export interface VoiceMember {
  readonly id: string
  /** The channel nickname where there is one, else the name. */
  readonly shownName: string
}

/** In which voice room of the channel the member is, if any. Locked: a stay ends or moves once. */
export async function roomOfMember(tx: Tx, channelId: string, accountId: string): Promise<string | undefined> {
  const stay = await tx.db
    .selectFrom('voice_sessions')
    .select('room_id')
    .where('channel_id', '=', channelId)
    .where('account_id', '=', accountId)
    .forUpdate()
    .executeTakeFirst()
  return stay?.room_id
}

/** Puts a member into a voice room, out of another one of the channel if need be. Refuses when it is full. */
export async function enterRoom(tx: Tx, room: VoiceRoom, member: VoiceMember): Promise<void> {
  // The room first: of two who come for the last place, one finds it taken.
  await sql`SELECT FROM rooms WHERE id = ${room.roomId}::uuid FOR NO KEY UPDATE`.execute(tx.db)
  const current = await roomOfMember(tx, room.channelId, member.id)
  if (current === room.roomId) return
  if (room.userLimit !== null && (await countIn(tx, room.roomId)) >= room.userLimit) {
    throw cannot('The voice room is full.', 'room_full')
  }

  const stay = { channel_id: room.channelId, account_id: member.id, room_id: room.roomId }
  await tx.db
    .insertInto('voice_sessions')
    .values(stay)
    .onConflict((conflict) =>
      conflict.columns(['channel_id', 'account_id']).doUpdateSet({ room_id: room.roomId, joined_at: sql`now()` }),
    )
    .execute()
  if (current !== undefined) tellLeft(tx, room.channelId, current, member.id)
  tx.emit(voiceMemberJoined, room, { roomId: room.roomId, user: { id: member.id, name: member.shownName } })
}

/** Ends a member's stay in the channel's voice rooms. Tells from where, or undefined when there was none. */
export async function endStay(tx: Tx, channelId: string, accountId: string): Promise<string | undefined> {
  const ended = await tx.db
    .deleteFrom('voice_sessions')
    .where('channel_id', '=', channelId)
    .where('account_id', '=', accountId)
    .returning('room_id')
    .executeTakeFirst()
  if (ended) tellLeft(tx, channelId, ended.room_id, accountId)
  return ended?.room_id
}

function tellLeft(tx: Tx, channelId: string, roomId: string, accountId: string): void {
  tx.emit(voiceMemberLeft, { channelId, roomId }, { roomId: null, user: { id: accountId } })
}

async function countIn(tx: Tx, roomId: string): Promise<number> {
  const { count } = await tx.db
    .selectFrom('voice_sessions')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('room_id', '=', roomId)
    .executeTakeFirstOrThrow()
  return count
}
