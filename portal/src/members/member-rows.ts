import type { ListedMember } from '@portico/contract'
import { m } from '#paraglide/messages.js'
import { roleName } from '#roles/role-name.ts'
import { keyOf, type MemberGroup } from './group-members.ts'

/** A row of the list: the title of a group, or a member. */
export type MemberListRow = { readonly key: string } & ({ readonly title: string } | { readonly member: ListedMember })

export function memberRows(groups: readonly MemberGroup[]): MemberListRow[] {
  return groups.flatMap(({ of, count, members }) => {
    const name = of === 'online' ? m.members_online() : of === 'offline' ? m.members_offline() : roleName(of)
    const key = typeof of === 'string' ? of : keyOf(of)
    return [{ key, title: m.members_group({ name, count }) }, ...members.map((member) => ({ key: member.id, member }))]
  })
}
