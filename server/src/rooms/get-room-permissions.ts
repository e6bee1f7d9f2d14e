import type { Input, RoomPermissions } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import { authorOf } from '../operations/actor.ts'
import type { RoomPlace } from '../operations/authorize.ts'
import { moderatorShown } from '../members/moderator-shown.ts'
import type { Tx } from '../operations/transaction.ts'

export async function getRoomPermissions(
  tx: Tx,
  _input: Input<typeof api.getRoomPermissions>,
  room: RoomPlace,
): Promise<RoomPermissions> {
  const { rows } = await sql<Pick<RoomPermissions, 'chatMute' | 'voiceMute'>>`
    SELECT ${muteOf('chat')} AS "chatMute", ${muteOf('voice')} AS "voiceMute"
    FROM members m JOIN channels c ON c.id = m.channel_id
    WHERE m.channel_id = ${room.channelId}::uuid AND m.account_id = ${authorOf(tx.actor).id}::uuid`.execute(tx.db)
  const roleIds = room.roles.map(({ id }) => id)
  return { rights: [...room.rights], roleIds, ...(rows[0] ?? { chatMute: null, voiceMute: null }) }
}

/** The mute of member `m` of channel `c`, as JSON, with its reason and author. Null if it has ended. */
function muteOf(kind: 'chat' | 'voice') {
  const column = (name: string) => sql.ref(`m.${kind}_${name}`)
  return sql`CASE WHEN ${column('muted')} AND (${column('muted_until')} IS NULL OR ${column('muted_until')} > now())
    THEN json_build_object('until', iso_time(${column('muted_until')}), 'reason', ${column('mute_reason')},
      'by', ${moderatorShown(column('muted_by'))}) END`
}
