import { sql } from 'kysely'
import type { Tx } from '../operations/transaction.ts'

/** Denies writing to ordinary members in a room, or removes that denial; other overrides stay. */
export async function restrictWriting(tx: Tx, channelId: string, roomId: string, restrict: boolean): Promise<void> {
  const memberRole = sql`(SELECT id FROM roles WHERE channel_id = ${channelId}::uuid AND system_name = 'CHANNEL_MEMBER')`
  if (restrict) {
    await sql`
      INSERT INTO room_overrides AS v (channel_id, room_id, role_id, allow, deny)
      VALUES (${channelId}::uuid, ${roomId}::uuid, ${memberRole}, '{}', '{write_text_room}')
      ON CONFLICT (room_id, role_id) DO UPDATE SET
        allow = array_remove(v.allow, 'write_text_room'),
        deny = array_append(array_remove(v.deny, 'write_text_room'), 'write_text_room')`.execute(tx.db)
    return
  }
  await sql`
    UPDATE room_overrides SET deny = array_remove(deny, 'write_text_room')
    WHERE room_id = ${roomId}::uuid AND role_id = ${memberRole}`.execute(tx.db)
  await sql`
    DELETE FROM room_overrides
    WHERE room_id = ${roomId}::uuid AND role_id = ${memberRole} AND allow = '{}' AND deny = '{}'`.execute(tx.db)
}
