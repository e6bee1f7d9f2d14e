import type { Input, Output, RoleColor } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import type { ChannelPlace } from '../operations/authorize.ts'
import type { Tx } from '../operations/transaction.ts'

/** Reads only the roles of the channel, whatever the number of members: open portals ask again after each change. */
export async function listRoleColors(
  tx: Tx,
  _input: Input<typeof api.listRoleColors>,
  { channelId }: ChannelPlace,
): Promise<Output<typeof api.listRoleColors>> {
  const { rows } = await sql<{ roleId: string; color: RoleColor }>`
    SELECT id AS "roleId", color FROM roles
    WHERE channel_id = ${channelId}::uuid AND color IS NOT NULL
    ORDER BY rank DESC`.execute(tx.db)
  return { colors: rows }
}
