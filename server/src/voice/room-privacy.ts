import { voiceMemberJoined } from '@portico/contract'
import type { Tx } from '../operations/transaction.ts'
import { lockRoom, emitLeft, type OccupiedRoom } from './voice-session.ts'

type Room = OccupiedRoom & { readonly channelId: string }

/**
 * Called before a voice room becomes private. Bots receive nothing from private voice rooms, so for bots everyone inside
 * leaves; portals reload the room and still see them.
 */
export async function hideOccupants(tx: Tx, room: Room): Promise<void> {
  for (const { id } of await occupants(tx, room)) emitLeft(tx, room, id)
}

/** Called after a voice room has become public: for bots everyone inside joins. */
export async function showOccupants(tx: Tx, room: Room): Promise<void> {
  const { roomId } = room
  for (const user of await occupants(tx, room)) {
    tx.emit(voiceMemberJoined, room, { roomId, user }, { shown: { moved: false } })
  }
}

/** Locks the room: each member is announced by this transaction or by the one that joins or leaves, never by both. */
async function occupants(tx: Tx, { roomId }: Room): Promise<{ id: string; name: string }[]> {
  await lockRoom(tx, roomId)
  return tx.db
    .selectFrom('voice_sessions as v')
    .innerJoin('accounts as a', 'a.id', 'v.account_id')
    .innerJoin('members as m', (join) =>
      join.onRef('m.channel_id', '=', 'v.channel_id').onRef('m.account_id', '=', 'v.account_id'),
    )
    .select(['a.id', ({ fn }) => fn.coalesce('m.nickname', 'a.name').as('name')])
    .where('v.room_id', '=', roomId)
    .orderBy('v.joined_at')
    .orderBy('a.id')
    .forUpdate('v')
    .execute()
}
