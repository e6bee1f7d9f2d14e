import type { Member, RoleTitle } from '@portico/contract'
import { shownName } from './shown-name.ts'

export interface MemberGroup {
  /** Who is online under the highest role that sets them apart, under none, or offline. */
  readonly of: RoleTitle | 'online' | 'offline'
  readonly count: number
  readonly members: readonly Member[]
}

interface Company {
  /** As the pages brought them: somebody who came online between two of them may be there twice. */
  readonly members: readonly Member[]
  /** Roles of the channel, highest first. */
  readonly roles: readonly RoleTitle[]
  readonly online: number
  readonly total: number
}

/** Those online by their highest role, where it is more than membership; then the others online; then those offline. */
export function groupMembers({ members, roles, online, total }: Company, locale: string): MemberGroup[] {
  const names = new Intl.Collator(locale)
  const known = [...new Map(members.toReversed().map((member) => [member.id, member])).values()].toSorted((a, b) =>
    names.compare(shownName(a), shownName(b)),
  )
  const present = Map.groupBy(
    known.filter((member) => member.online),
    titleOf,
  )
  const apart = roles.flatMap((role): MemberGroup[] => {
    const inside = present.get(keyOf(role))
    present.delete(keyOf(role))
    return inside ? [{ of: role, count: inside.length, members: inside }] : []
  })
  const others = [...present.values()].flat().toSorted((a, b) => names.compare(shownName(a), shownName(b)))
  const away = known.filter((member) => !member.online)
  const groups: MemberGroup[] = [
    ...apart,
    { of: 'online', count: others.length, members: others },
    { of: 'offline', count: Math.max(total - online, away.length), members: away },
  ]
  return groups.filter(({ count }) => count > 0)
}

function titleOf({ roles: [highest] }: Member): string {
  return highest === undefined || highest.systemName === 'CHANNEL_MEMBER' ? '' : keyOf(highest)
}

export function keyOf(role: RoleTitle): string {
  return role.systemName === 'CUSTOM' ? `CUSTOM ${role.name}` : role.systemName
}
