import type { Input, Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import type { ChannelPlace } from '../operations/authorize.ts'
import { isSeenBy } from '../operations/is-seen-by.ts'
import type { Tx } from '../operations/transaction.ts'
import { voiceUsers } from '../voice/voice-users.ts'
import { roomColumns, toRoom, type RoomRow } from './room.ts'

export async function listRooms(
  tx: Tx,
  _input: Input<typeof api.listRooms>,
  channel: ChannelPlace,
): Promise<Output<typeof api.listRooms>> {
  const { channelId } = channel
  const [{ rows }, categories, users] = await Promise.all([
    sql<RoomRow>`
      SELECT ${roomColumns(channelId)} FROM rooms o
      WHERE o.channel_id = ${channelId}::uuid AND ${isSeenBy(tx.actor, channel)}
      ORDER BY o.sort, o.id`.execute(tx.db),
    tx.db
      .selectFrom('categories')
      .select(['id', 'name', 'sort'])
      .where('channel_id', '=', channelId)
      .orderBy('sort')
      .orderBy('id')
      .execute(),
    voiceUsers(tx, channelId),
  ])
  return { rooms: rows.map((row) => toRoom(tx.actor, row, users.get(row.id))), categories }
}
