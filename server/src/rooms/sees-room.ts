import { CompiledQuery } from 'kysely'
import { isSeen, READ_PLACES, type PlaceRow } from '../operations/authorize.ts'
import type { Tx } from '../operations/transaction.ts'

/** Whether a member sees a room of their channel: a private one only if it admits them or they own the channel. */
export async function seesRoom(tx: Tx, accountId: string, channelId: string, roomId: string): Promise<boolean> {
  const { rows } = await tx.db.executeQuery<PlaceRow>(
    CompiledQuery.raw(READ_PLACES, [[accountId], [channelId], [roomId]]),
  )
  const [place] = rows
  return place !== undefined && place.roomId !== null && isSeen(place, place.ownerId === accountId)
}
