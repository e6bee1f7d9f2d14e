import { memberChanged, type Input, type Member } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import { refuseUnseen } from '../operations/refuse-unseen.ts'
import { uniqueIds } from '../operations/ids.ts'
import { cannot } from '../operations/refusal.ts'
import { loadRoles, refuseGivingRights, refuseOutrankedRole } from '../roles/load-roles.ts'
import type { Services } from '../operations/services.ts'
import type { Tx } from '../operations/transaction.ts'
import type { ChannelPlace, RoleFacts } from '../operations/authorize.ts'
import { loadMember, loadMemberBelow, type OtherMember } from './load-member.ts'
import { toMember } from './to-member.ts'
import { toSpeaker } from './to-speaker.ts'

type MemberRoles = Input<typeof api.setMemberRoles>

export async function setMemberRoles(
  tx: Tx,
  input: MemberRoles,
  channel: ChannelPlace,
  { presence }: Pick<Services, 'presence'>,
): Promise<Member> {
  return toMember(await changeMemberRoles(tx, input, channel), await presence.onlineIn(channel.channelId))
}

export async function changeMemberRoles(tx: Tx, input: MemberRoles, channel: ChannelPlace): Promise<OtherMember> {
  const { channelId } = channel
  const member = await loadMemberBelow(tx, channel, input.userId)
  const roles = await loadRoles(tx, channelId, uniqueIds('roleIds', input.roleIds))
  refuseUnseen({ roleIds: ids(member.roles).toSorted() }, input.seen && { roleIds: input.seen.roleIds.toSorted() })
  const systemRole = systemRoleFor(member, roles)

  const added = without(roles, member.roles)
  const taken = without(member.roles, roles)
  for (const role of added) {
    refuseOutrankedRole(channel, role)
    refuseGivingRights(channel, role.rights)
  }
  if (added.length === 0 && taken.length === 0) return member

  await tx.db
    .updateTable('members')
    .set({ role_id: systemRole.id })
    .where('channel_id', '=', channelId)
    .where('account_id', '=', member.id)
    .execute()
  await sql`
    DELETE FROM member_roles
    WHERE channel_id = ${channelId}::uuid AND account_id = ${member.id}::uuid AND role_id = ANY (${ids(taken)}::uuid[])
  `.execute(tx.db)
  await sql`
    INSERT INTO member_roles (channel_id, account_id, role_id)
    SELECT channel_id, ${member.id}::uuid, id FROM roles WHERE id = ANY (${ids(added)}::uuid[]) AND system_name = 'CUSTOM'
  `.execute(tx.db)

  tx.audit({
    action: 'member.roles_changed',
    channelId,
    target: member,
    details: { added: names(added), taken: names(taken) },
  })
  const changed = await loadMember(tx, channelId, member.id)
  tx.emit(memberChanged, { channelId }, { member: toSpeaker(changed) })
  return changed
}

function systemRoleFor(member: OtherMember, roles: readonly RoleFacts[]): RoleFacts {
  const [role, ...more] = roles.filter(({ systemName }) => systemName !== 'CUSTOM')
  if (!role || more.length > 0) {
    throw cannot('A member must have exactly one built-in role.', 'not_one_system_role')
  }
  if (role.systemName === 'CHANNEL_BOT' && !member.isBot) throw cannot('This role is for bots.', 'role_for_bots')
  return role
}

function ids(roles: readonly RoleFacts[]): string[] {
  return roles.map((role) => role.id)
}

function names(roles: readonly RoleFacts[]): string[] {
  return roles.map((role) => role.name)
}

function without(roles: readonly RoleFacts[], others: readonly RoleFacts[]): RoleFacts[] {
  const known = new Set(ids(others))
  return roles.filter((role) => !known.has(role.id))
}
