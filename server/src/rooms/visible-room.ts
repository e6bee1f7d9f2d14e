import type { RoomType } from '@portico/contract'
import { sql } from 'kysely'
import { authorOf } from '../actor.ts'
import type { ChannelPlace } from '../members/access.ts'
import { cannot } from '../refusal.ts'
import type { Tx } from '../transaction.ts'

export interface VisibleRoom {
  readonly id: string
  readonly type: RoomType
  readonly userLimit: number | null
}

/** A second room that a request names, if it is one of the channel and the asker may see it. */
export async function visibleRoom(tx: Tx, channel: ChannelPlace, roomId: string): Promise<VisibleRoom> {
  const { id: accountId } = authorOf(tx.actor)
  const roleIds = channel.roles.map(({ id }) => id)
  const { rows } = await sql<VisibleRoom>`
    SELECT o.id, o.type, o.user_limit AS "userLimit" FROM rooms o
    WHERE o.id = ${roomId}::uuid AND o.channel_id = ${channel.channelId}::uuid
      AND (NOT o.private OR ${accountId}::uuid = ${channel.ownerId}::uuid OR EXISTS (
        SELECT FROM room_admissions a
        WHERE a.room_id = o.id AND (a.account_id = ${accountId}::uuid OR a.role_id = ANY (${roleIds}::uuid[]))))`.execute(
    tx.db,
  )
  if (!rows[0]) throw cannot('The room is not a room of this channel.', 'no_such_room')
  return rows[0]
}
