import { DEFAULT_ROLES, LIMITS, RIGHTS, type Input, type Right, type Role } from '@portico/contract'
import type * as api from '@portico/contract'
import { newId } from '../operations/ids.ts'
import type { ChannelPlace } from '../operations/authorize.ts'
import { outranked } from '../operations/access-refusals.ts'
import { cannot } from '../operations/refusal.ts'
import type { Tx } from '../operations/transaction.ts'
import { refuseGivingRights } from './load-roles.ts'

const { CHANNEL_MEMBER, CHANNEL_MODERATOR } = DEFAULT_ROLES

export async function createRole(tx: Tx, input: Input<typeof api.createRole>, channel: ChannelPlace): Promise<Role> {
  const { channelId } = channel
  if (channel.rank <= CHANNEL_MEMBER.rank) throw outranked('The new role would be above your own.')
  refuseGivingRights(channel, input.rights)
  await refuseOneTooMany(tx, channelId)

  await tx.db
    .updateTable('roles')
    .set((eb) => ({ rank: eb('rank', '+', 1) }))
    .where('channel_id', '=', channelId)
    .where('rank', '>', CHANNEL_MEMBER.rank)
    .where('rank', '<', CHANNEL_MODERATOR.rank)
    .execute()
  const { color = null } = input
  const role = { id: newId(), name: input.name.trim(), rank: CHANNEL_MEMBER.rank + 1, rights: inOrder(input.rights) }
  const colored = color === null ? {} : { color }
  await tx.db
    .insertInto('roles')
    .values({ ...role, color, channel_id: channelId, system_name: 'CUSTOM' })
    .execute()
  tx.audit({ action: 'role.created', channelId, target: role, details: { rights: role.rights, ...colored } })
  return { ...role, ...colored, systemName: 'CUSTOM', memberCount: 0 }
}

export function inOrder(rights: readonly Right[]): Right[] {
  return RIGHTS.filter((right) => rights.includes(right))
}

async function refuseOneTooMany(tx: Tx, channelId: string): Promise<void> {
  const { count } = await tx.db
    .selectFrom('roles')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('channel_id', '=', channelId)
    .executeTakeFirstOrThrow()
  if (count >= LIMITS.rolesOfChannel) {
    throw cannot(`A channel can have at most ${LIMITS.rolesOfChannel} roles.`, 'too_many_roles')
  }
}
