import type { Input } from '@portico/contract'
import type * as api from '@portico/contract'
import type { ChannelPlace } from '../operations/authorize.ts'
import { cannot } from '../operations/refusal.ts'
import type { Tx } from '../operations/transaction.ts'
import { loadRoleBelow } from './load-roles.ts'

export async function deleteRole(tx: Tx, input: Input<typeof api.deleteRole>, channel: ChannelPlace): Promise<null> {
  const role = await loadRoleBelow(tx, channel, input.roleId)
  if (role.systemName !== 'CUSTOM') throw cannot('Every channel has this role, so it can’t be deleted.', 'system_role')
  await tx.db.deleteFrom('roles').where('id', '=', role.id).execute()
  tx.audit({ action: 'role.deleted', channelId: channel.channelId, target: role, details: { rights: role.rights } })
  return null
}
