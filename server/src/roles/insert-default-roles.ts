import { DEFAULT_ROLES, SYSTEM_ROLES } from '@portico/contract'
import { newId } from '../operations/ids.ts'
import type { Tx } from '../operations/transaction.ts'

/** The default roles of every channel. */
export async function insertDefaultRoles(tx: Tx, channelId: string): Promise<void> {
  const rows = SYSTEM_ROLES.map((systemName) => {
    const { name, rank, rights } = DEFAULT_ROLES[systemName]
    return { id: newId(), channel_id: channelId, system_name: systemName, name, rank, rights: [...rights] }
  })
  await tx.db.insertInto('roles').values(rows).execute()
}
