import type { Room, VoiceUser } from '@portico/contract'
import { sql } from 'kysely'
import type { Actor } from '../operations/actor.ts'
import type { Tx } from '../operations/transaction.ts'

export type RoomRow = Required<Omit<Room, 'users'>>

/** The columns of a room `o` of this channel. */
export function roomColumns(channelId: string) {
  return sql`o.id, o.name, o.type, o.category_id AS "categoryId", o.sort, o.private, o.topic,
    o.user_limit AS "userLimit",
    EXISTS (
      SELECT FROM room_overrides v
      WHERE v.room_id = o.id AND 'write_text_room' = ANY (v.deny) AND v.role_id = (
        SELECT id FROM roles WHERE channel_id = ${channelId}::uuid AND system_name = 'CHANNEL_MEMBER')
    ) AS "writeRestricted"`
}

export async function loadRoom(tx: Tx, channelId: string, roomId: string): Promise<RoomRow> {
  const { rows } = await sql<RoomRow>`
    SELECT ${roomColumns(channelId)} FROM rooms o WHERE o.id = ${roomId}::uuid`.execute(tx.db)
  if (!rows[0]) throw new Error('a room vanished behind the lock')
  return rows[0]
}

export function toRoom(actor: Actor, row: RoomRow, users: VoiceUser[] = []): Room {
  const { id, name, type, categoryId, sort, writeRestricted, topic, userLimit } = row
  return {
    id,
    name,
    type,
    categoryId,
    sort,
    writeRestricted,
    topic,
    ...(actor.kind === 'person' && { private: row.private }),
    ...(type === 'voice' && { userLimit, users }),
    ...(type === 'stream' && actor.kind === 'person' && { users }),
  }
}
