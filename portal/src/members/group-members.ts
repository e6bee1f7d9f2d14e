import type { ListedMember, RoleTitle } from '@portico/contract'

export interface MemberGroup {
  /** Online members under their highest role, online members without one, or offline members. */
  readonly of: RoleTitle | 'online' | 'offline'
  readonly count: number
  readonly members: readonly ListedMember[]
}

interface LoadedMembers {
  /** As fetched: a member who came online between two pages may be in both. */
  readonly pages: readonly (readonly ListedMember[])[]
  /** The channel's roles, highest first. */
  readonly roles: readonly RoleTitle[]
  readonly online: number
  readonly total: number
}

/**
 * Online members by their highest role above plain membership, then the other online members, then offline ones. Each
 * group is in the order of pages, so that nothing moves when more is loaded.
 */
export function groupMembers({ pages, roles, online, total }: LoadedMembers): MemberGroup[] {
  const known = withoutRepeats(pages).toSorted(byName)
  const present = Map.groupBy(
    known.filter((member) => member.online),
    titleOf,
  )
  const apart = roles.flatMap((role): MemberGroup[] => {
    const inside = present.get(keyOf(role))
    present.delete(keyOf(role))
    return inside ? [{ of: role, count: inside.length, members: inside }] : []
  })
  const others = [...present.values()].flat().toSorted(byName)
  const away = known.filter((member) => !member.online)
  const groups: MemberGroup[] = [
    ...apart,
    { of: 'online', count: others.length, members: others },
    { of: 'offline', count: Math.max(total - online, away.length), members: away },
  ]
  return groups.filter(({ count }) => count > 0)
}

/** Each member as first fetched. */
function withoutRepeats(pages: LoadedMembers['pages']): ListedMember[] {
  const seen = new Set<string>()
  return pages.flat().filter(({ id }) => !seen.has(id) && seen.add(id))
}

function byName(a: ListedMember, b: ListedMember): number {
  if (a.sortName === b.sortName) return a.id < b.id ? -1 : 1
  return a.sortName < b.sortName ? -1 : 1
}

function titleOf({ roles: [highest] }: ListedMember): string {
  return highest === undefined || highest.systemName === 'CHANNEL_MEMBER' ? '' : keyOf(highest)
}

export function keyOf(role: RoleTitle): string {
  return role.systemName === 'CUSTOM' ? `CUSTOM ${role.name}` : role.systemName
}
