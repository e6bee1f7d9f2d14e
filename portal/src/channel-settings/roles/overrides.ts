import type { Role, RoomAccess, RoomRight } from '@portico/contract'

export type Word = 'deny' | 'inherit' | 'allow'

export type Override = RoomAccess['overrides'][number]

/** The override of a room: one value per role and right. */
export type Cells = Record<string, Word>

export function cellOf(roleId: string, right: RoomRight): string {
  return `${roleId} ${right}`
}

export function cellsOf(overrides: readonly Override[], roles: readonly Role[], rights: readonly RoomRight[]): Cells {
  const known = new Map(overrides.map((override) => [override.roleId, override]))
  return Object.fromEntries(
    roles.flatMap(({ id }) =>
      rights.map((right) => {
        const override = known.get(id)
        const word = override?.allow.includes(right) ? 'allow' : override?.deny.includes(right) ? 'deny' : 'inherit'
        return [cellOf(id, right), word]
      }),
    ),
  )
}

/** The override of a role from its cells. Rights that don't apply to the room's type stay as they were. */
export function overrideFrom(
  cells: Cells,
  roleId: string,
  rights: readonly RoomRight[],
  before: Override | undefined,
): Override {
  const unshown = (right: RoomRight) => !rights.includes(right)
  const said = (word: Word) => rights.filter((right) => cells[cellOf(roleId, right)] === word)
  return {
    roleId,
    allow: [...(before?.allow.filter(unshown) ?? []), ...said('allow')],
    deny: [...(before?.deny.filter(unshown) ?? []), ...said('deny')],
  }
}
