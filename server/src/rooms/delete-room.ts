import type { Input } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql, type RawBuilder } from 'kysely'
import { deleteInBatches, type Sweep } from '../db/delete-in-batches.ts'
import type { RoomPlace } from '../operations/authorize.ts'
import type { Tx } from '../operations/transaction.ts'
import { emptyRoom } from '../voice/voice-session.ts'
import { refuseDeletingForHigher } from './refuse-shutting-out.ts'

export async function deleteRoom(tx: Tx, _input: Input<typeof api.deleteRoom>, room: RoomPlace): Promise<null> {
  const { channelId, roomId, roomName, roomType } = room
  if (room.private) await refuseDeletingForHigher(tx, room)
  if (roomType !== 'text') await emptyRoom(tx, { channelId, roomId, roomType })
  if (room.private) await keepAdmissions(tx, channelId, roomId)
  await tx.db.deleteFrom('rooms').where('id', '=', roomId).execute()
  tx.audit({
    action: 'room.deleted',
    channelId,
    target: { id: roomId, name: roomName },
    details: { type: roomType },
  })
  return null
}

/** Keeps who could see a private room, so that exactly they still see its audit entries. */
async function keepAdmissions(tx: Tx, channelId: string, roomId: string): Promise<void> {
  await sql`
    INSERT INTO deleted_private_rooms (room_id, channel_id, admitted)
    SELECT ${roomId}::uuid, ${channelId}::uuid,
      ARRAY(SELECT coalesce(role_id, account_id) FROM room_admissions WHERE room_id = ${roomId}::uuid)`.execute(tx.db)
}

export async function forgetPrivateRoomsDeletedBefore(sweep: Sweep, time: RawBuilder<string>): Promise<void> {
  await deleteInBatches(sweep, 'deleted_private_rooms', sql`deleted_at < ${time}`)
}
