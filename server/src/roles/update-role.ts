import type { Input, Role } from '@portico/contract'
import type * as api from '@portico/contract'
import { changesOf } from '../operations/changes-of.ts'
import { refuseUnseen } from '../operations/refuse-unseen.ts'
import type { ChannelPlace } from '../operations/authorize.ts'
import type { Tx } from '../operations/transaction.ts'
import { inOrder } from './create-role.ts'
import { toRoles } from './list-roles.ts'
import { loadRoleBelow, loadRoleToColor, refuseGivingRights } from './load-roles.ts'

export async function updateRole(tx: Tx, input: Input<typeof api.updateRole>, channel: ChannelPlace): Promise<Role> {
  const { channelId } = channel
  const colorsOnly = input.name === undefined && input.rights === undefined
  const before = await (colorsOnly ? loadRoleToColor : loadRoleBelow)(tx, channel, input.roleId)
  const name = input.name?.trim()
  const { color } = input
  const rights = input.rights && inOrder(input.rights)
  const now = { name: before.name, rights: inOrder(before.rights), color: before.color }
  refuseUnseen(now, { ...input.seen, ...(input.seen?.rights && { rights: inOrder(input.seen.rights) }) })
  const had = new Set(before.rights)
  refuseGivingRights(channel, rights?.filter((right) => !had.has(right)) ?? [])

  const changes = changesOf(now, { name, rights, color })
  if (Object.keys(changes).length > 0) {
    await tx.db.updateTable('roles').set({ name, rights, color }).where('id', '=', before.id).execute()
    tx.audit({
      action: 'role.updated',
      channelId,
      target: { id: before.id, name: name ?? before.name },
      details: changes,
    })
  }
  const [after] = await toRoles(tx, channelId, before.id)
  if (!after) throw new Error('a role vanished behind the lock')
  return after
}
