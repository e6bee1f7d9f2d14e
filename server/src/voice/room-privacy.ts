import { voiceMemberJoined } from '@portico/contract'
import type { Tx } from '../operations/transaction.ts'
import { lockRoom, emitLeft, type OccupiedRoom } from './voice-session.ts'

type Room = OccupiedRoom & { readonly channelId: string }

/**
 * Called before a voice room turns private. Bots receive nothing from private voice rooms, so those who are inside leave
 * as far as bots know; portals read the room again and still find them there.
 */
export async function hideOccupants(tx: Tx, room: Room): Promise<void> {
  for (const { id } of await occupants(tx, room)) emitLeft(tx, room, id)
}

/** Called once a voice room has turned public: bots learn who is inside. */
export async function showOccupants(tx: Tx, room: Room): Promise<void> {
  const { roomId } = room
  for (const user of await occupants(tx, room)) {
    tx.emit(voiceMemberJoined, room, { roomId, user }, { shown: { moved: false } })
  }
}

/** Nobody enters or leaves until the transaction ends: each of them is announced by it or by this one, never by both. */
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
