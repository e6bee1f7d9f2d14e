import type { Input, Output, RoomAccess } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import { missingRight, noSuchRoom } from '../operations/access-refusals.ts'
import type { ChannelPlace, RoomPlace } from '../operations/authorize.ts'
import type { Tx } from '../operations/transaction.ts'
import { isSeenBy } from '../operations/is-seen-by.ts'

export async function getRoomAccess(
  tx: Tx,
  _input: Input<typeof api.getRoomAccess>,
  { roomId }: RoomPlace,
): Promise<RoomAccess> {
  return roomAccess(tx, roomId)
}

export async function listRoomAccess(
  tx: Tx,
  _input: Input<typeof api.listRoomAccess>,
  channel: ChannelPlace,
): Promise<Output<typeof api.listRoomAccess>> {
  if (!channel.rights.has('manage_roles') && !channel.rights.has('manage_rooms')) throw missingRight('manage_roles')
  const { rows } = await sql<RoomAccess & { roomId: string }>`
    SELECT o.id AS "roomId", ${accessColumns} FROM rooms o
    WHERE o.channel_id = ${channel.channelId}::uuid AND ${isSeenBy(tx.actor, channel)}
    ORDER BY o.sort, o.id`.execute(tx.db)
  return { rooms: rows }
}

export async function roomAccess(tx: Tx, roomId: string): Promise<RoomAccess> {
  const { rows } = await sql<RoomAccess>`
    SELECT ${accessColumns} FROM rooms o WHERE o.id = ${roomId}::uuid`.execute(tx.db)
  // Deleted since the access was checked.
  if (!rows[0]) throw noSuchRoom()
  return rows[0]
}

/** The overrides and admissions of the room `o` of the surrounding statement. */
const accessColumns = sql`
  coalesce((
    SELECT json_agg(json_build_object('roleId', v.role_id, 'allow', v.allow, 'deny', v.deny) ORDER BY r.rank DESC)
    FROM room_overrides v JOIN roles r ON r.id = v.role_id WHERE v.room_id = o.id
  ), '[]') AS overrides,
  ARRAY(
    SELECT a.role_id FROM room_admissions a JOIN roles r ON r.id = a.role_id
    WHERE a.room_id = o.id ORDER BY r.rank DESC
  ) AS "admittedRoleIds",
  coalesce((
    SELECT json_agg(json_build_object('id', c.id, 'name', c.name) ORDER BY lower(c.name), c.id)
    FROM room_admissions a JOIN accounts c ON c.id = a.account_id WHERE a.room_id = o.id
  ), '[]') AS "admittedMembers"`
