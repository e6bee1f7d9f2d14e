import { rightsOf, type RightsInput } from '@portico/contract'
import { sql } from 'kysely'
import type { ChannelPlace } from '../operations/authorize.ts'
import { isSeenBy } from '../operations/is-seen-by.ts'
import type { Tx } from '../operations/transaction.ts'

export interface Answering {
  readonly bot: { readonly id: string }
  readonly roles: RightsInput['roles']
  readonly chatMuted: boolean
}

interface RoomRow {
  id: string
  private: boolean
  overrides: RightsInput['overrides']
  /** Roles and members. */
  admitted: readonly string[]
}

/** Of the rooms that the caller sees, those where a bot can't read or write and so would never answer. */
export async function silentRooms(
  tx: Tx,
  channel: ChannelPlace,
  bots: readonly Answering[],
): Promise<{ botId: string; roomIds: string[] }[]> {
  const { rows: rooms } = await sql<RoomRow>`
    SELECT o.id, o.private,
      ARRAY(SELECT coalesce(d.role_id, d.account_id) FROM room_admissions d WHERE d.room_id = o.id) AS admitted,
      coalesce((SELECT json_agg(json_build_object('roleId', v.role_id, 'allow', v.allow, 'deny', v.deny))
        FROM room_overrides v WHERE v.room_id = o.id), '[]') AS overrides
    FROM rooms o
    WHERE o.channel_id = ${channel.channelId}::uuid AND o.type <> 'voice' AND ${isSeenBy(tx.actor, channel)}
    ORDER BY o.sort, o.id`.execute(tx.db)

  return bots.flatMap((row) => {
    const roomIds = rooms.filter((room) => !canAnswer(row, room)).map(({ id }) => id)
    return roomIds.length > 0 ? [{ botId: row.bot.id, roomIds }] : []
  })
}

function canAnswer({ bot, roles, chatMuted }: Answering, room: RoomRow): boolean {
  if (room.private && ![bot, ...roles].some(({ id }) => room.admitted.includes(id))) return false
  const rights = rightsOf({ roles, overrides: room.overrides, chatMuted, voiceMuted: false, isOwner: false })
  return rights.has('read_text_room') && rights.has('write_text_room')
}
