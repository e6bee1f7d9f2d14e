import { rightsOf, type RightsInput } from '@portico/contract'
import { sql } from 'kysely'
import { signedIn } from '../accounts/sessions.ts'
import { roleFacts, roleIdsOfMember } from '../operations/roles-of-member.ts'
import type { Tx } from '../operations/transaction.ts'

interface Row {
  isOwner: boolean
  roles: RightsInput['roles']
  rooms: { id: string; overrides: RightsInput['overrides'] | null }[] | null
}

/** The rooms of these channels whose messages the caller can read. */
export async function readableRooms(tx: Tx, channelIds: readonly string[]): Promise<string[]> {
  const { rows } = await sql<Row>`
    SELECT c.owner_id = m.account_id AS "isOwner", r.roles, (
      SELECT json_agg(json_build_object('id', o.id, 'overrides', (
        SELECT json_agg(json_build_object('roleId', v.role_id, 'allow', v.allow, 'deny', v.deny))
        FROM room_overrides v WHERE v.room_id = o.id AND v.role_id = ANY (r.ids))))
      FROM rooms o
      WHERE o.channel_id = m.channel_id
        AND (NOT o.private OR c.owner_id = m.account_id OR EXISTS (
          SELECT FROM room_admissions a
          WHERE a.room_id = o.id AND (a.account_id = m.account_id OR a.role_id = ANY (r.ids))))
    ) AS rooms
    FROM members m JOIN channels c ON c.id = m.channel_id AND c.deleted_at IS NULL
    CROSS JOIN LATERAL (
      SELECT array_agg(id) AS ids, ${roleFacts} AS roles FROM roles WHERE id = ANY (${roleIdsOfMember})
    ) r
    WHERE m.account_id = ${signedIn(tx).id}::uuid AND m.channel_id = ANY (${channelIds}::uuid[])`.execute(tx.db)
  return rows.flatMap(({ isOwner, roles, rooms }) => {
    const canRead = (overrides: RightsInput['overrides']): boolean =>
      rightsOf({ isOwner, roles, overrides, chatMuted: false, voiceMuted: false }).has('read_text_room')
    // Most rooms have no overrides.
    const canReadOthers = canRead([])
    return (rooms ?? []).flatMap(({ id, overrides }) =>
      (overrides === null ? canReadOthers : canRead(overrides)) ? [id] : [],
    )
  })
}
