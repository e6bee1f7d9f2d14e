import type { Member, RoleTitle } from '@portico/contract'
import { shownName } from './shown-name.ts'

export interface MemberGroup {
  /** Who is online under the highest role that sets them apart, under none, or offline. */
  readonly of: RoleTitle | 'online' | 'offline'
  readonly count: number
  readonly members: readonly Member[]
}

interface Company {
  /** As they were read: somebody who came online between two pages may be on both. */
  readonly pages: readonly (readonly Member[])[]
  /** Roles of the channel, highest first. */
  readonly roles: readonly RoleTitle[]
  readonly online: number
  readonly total: number
}

/**
 * Those online by their highest role, where it is more than membership; then the others online; then those offline. All of
 * them by name, those offline page by page: what one has read already does not move when more is read.
 */
export function groupMembers({ pages, roles, online, total }: Company, locale: string): MemberGroup[] {
  const names = new Intl.Collator(locale)
  const byName = (a: Member, b: Member): number => names.compare(shownName(a), shownName(b))
  const known = withoutRepeats(pages)
  const present = Map.groupBy(
    known
      .flat()
      .filter((member) => member.online)
      .toSorted(byName),
    titleOf,
  )
  const apart = roles.flatMap((role): MemberGroup[] => {
    const inside = present.get(keyOf(role))
    present.delete(keyOf(role))
    return inside ? [{ of: role, count: inside.length, members: inside }] : []
  })
  const others = [...present.values()].flat().toSorted(byName)
  const away = known.flatMap((page) => page.filter((member) => !member.online).toSorted(byName))
  const groups: MemberGroup[] = [
    ...apart,
    { of: 'online', count: others.length, members: others },
    { of: 'offline', count: Math.max(total - online, away.length), members: away },
  ]
  return groups.filter(({ count }) => count > 0)
}

/** Each member as first read. */
function withoutRepeats(pages: Company['pages']): Member[][] {
  const seen = new Set<string>()
  return pages.map((page) => page.filter(({ id }) => !seen.has(id) && seen.add(id)))
}

function titleOf({ roles: [highest] }: Member): string {
  return highest === undefined || highest.systemName === 'CHANNEL_MEMBER' ? '' : keyOf(highest)
}

export function keyOf(role: RoleTitle): string {
  return role.systemName === 'CUSTOM' ? `CUSTOM ${role.name}` : role.systemName
}
