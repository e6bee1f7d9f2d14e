import type { Input } from '@portico/contract'
import type * as api from '@portico/contract'
import type { RoomPlace } from '../members/access.ts'
import type { Tx } from '../transaction.ts'
import { emptyRoom } from '../voice/stay.ts'

export async function deleteRoom(
  tx: Tx,
  _input: Input<typeof api.deleteRoom>,
  { channelId, roomId, roomName, roomType }: RoomPlace,
): Promise<null> {
  if (roomType !== 'text') await emptyRoom(tx, { channelId, roomId, roomType })
  await tx.db.deleteFrom('rooms').where('id', '=', roomId).execute()
  tx.audit({
    action: 'room.deleted',
    channelId,
    target: { id: roomId, name: roomName },
    details: { type: roomType },
  })
  return null
}
