import { rightsOf, type Right } from '@portico/contract'
import { CompiledQuery } from 'kysely'
import { isSeen, READ_PLACES, rightsInputOf, type PlaceRow, type RoomPlace } from '../operations/authorize.ts'
import type { Tx } from '../operations/transaction.ts'

/** Whether someone is a member who sees a room and can read it. */
export async function readsRoom(
  tx: Tx,
  accountId: string,
  room: Pick<RoomPlace, 'channelId' | 'roomId'>,
): Promise<boolean> {
  return (await rightsInRoom(tx, accountId, room)).has('read_text_room')
}

/** None if the account isn’t a member, or doesn’t see the room. */
export async function rightsInRoom(
  tx: Tx,
  accountId: string,
  { channelId, roomId }: Pick<RoomPlace, 'channelId' | 'roomId'>,
): Promise<ReadonlySet<Right>> {
  const { rows } = await tx.db.executeQuery<PlaceRow>(
    CompiledQuery.raw(READ_PLACES, [[accountId], [channelId], [roomId]]),
  )
  const [place] = rows
  if (!place || place.roomId === null) return new Set()
  const isOwner = place.ownerId === accountId
  return isSeen(place, isOwner) ? rightsOf(rightsInputOf(place, isOwner)) : new Set()
}
