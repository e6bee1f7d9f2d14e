import type { Input, Output, Role, RoleColor } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import type { ChannelPlace } from '../operations/authorize.ts'
import type { Tx } from '../operations/transaction.ts'

export async function listRoles(
  tx: Tx,
  _input: Input<typeof api.listRoles>,
  { channelId }: ChannelPlace,
): Promise<Output<typeof api.listRoles>> {
  return { roles: await toRoles(tx, channelId) }
}

/** The roles of a channel, highest first, or only the given one. */
export async function toRoles(tx: Tx, channelId: string, roleId?: string): Promise<Role[]> {
  const one = roleId === undefined ? sql`` : sql`AND r.id = ${roleId}::uuid`
  const { rows } = await sql<Omit<Role, 'color'> & { color: RoleColor | null }>`
    SELECT r.id, r.system_name AS "systemName", r.name, r.color, r.rank, r.rights,
      CASE r.system_name
        WHEN 'CUSTOM' THEN (SELECT count(*) FROM member_roles WHERE role_id = r.id)
        ELSE (SELECT count(*) FROM members WHERE role_id = r.id)
      END AS "memberCount"
    FROM roles r
    WHERE r.channel_id = ${channelId}::uuid ${one}
    ORDER BY r.rank DESC`.execute(tx.db)
  return rows.map(({ color, ...role }) => ({ ...role, ...(color && { color }) }))
}
