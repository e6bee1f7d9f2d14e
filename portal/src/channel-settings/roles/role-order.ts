import type { Role } from '@portico/contract'

/** The roles that can be sorted: custom roles and moderators. Highest first. */
export function sortableRoles(roles: readonly Role[]): Role[] {
  return roles.filter(({ systemName }) => systemName === 'CUSTOM' || systemName === 'CHANNEL_MODERATOR')
}

/** The roles in a wanted order of those that can be sorted: each gets the rank of its new place. */
export function arrangeRoles(roles: Role[], order: readonly string[] = []): Role[] {
  const ranks = sortableRoles(roles).map(({ rank }) => rank)
  const rankOf = new Map(order.map((roleId, place) => [roleId, ranks[place]]))
  return roles
    .map((role) => ({ ...role, rank: rankOf.get(role.id) ?? role.rank }))
    .toSorted((one, other) => other.rank - one.rank)
}

/** Moves a role before another one, or to the end. Undefined if either isn't below `rank`, or nothing changes. */
export function placeRole(
  roles: readonly Role[],
  rank: number,
  roleId: string,
  beforeId: string | undefined,
): string[] | undefined {
  const sortable = sortableRoles(roles)
  const role = sortable.find(({ id }) => id === roleId)
  if (!role || role.rank >= rank || beforeId === roleId) return undefined
  const others = sortable.filter(({ id }) => id !== roleId)
  const at = beforeId === undefined ? others.length : others.findIndex(({ id }) => id === beforeId)
  const next = others[at]
  if (at < 0 || (next && next.rank >= rank)) return undefined
  const order = others.map(({ id }) => id).toSpliced(at, 0, roleId)
  return order.every((id, place) => sortable[place]?.id === id) ? undefined : order
}

/** Moves a role up or down by one. Undefined if it can't move. */
export function stepRole(roles: readonly Role[], rank: number, roleId: string, step: -1 | 1): string[] | undefined {
  const sortable = sortableRoles(roles)
  const at = sortable.findIndex(({ id }) => id === roleId)
  if (at < 0 || at + step < 0 || at + step >= sortable.length) return undefined
  return placeRole(roles, rank, roleId, sortable[step < 0 ? at - 1 : at + 2]?.id)
}
