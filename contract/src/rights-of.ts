import { MUTED_IN_CHAT, MUTED_IN_VOICE, RIGHTS, type Right } from './rights.ts'

export interface RightsRole {
  readonly id: string
  readonly rank: number
  readonly rights: readonly Right[]
}

export interface RightsOverride {
  readonly roleId: string
  readonly allow: readonly Right[]
  readonly deny: readonly Right[]
}

/** Everything that decides what a member can do in one place. */
export interface RightsInput {
  readonly isOwner: boolean
  /** The member's roles, no two of one rank. */
  readonly roles: readonly RightsRole[]
  /** The room's overrides; those of roles that the member doesn't have are ignored. */
  readonly overrides: readonly RightsOverride[]
  readonly chatMuted: boolean
  readonly voiceMuted: boolean
}

const ALL: ReadonlySet<Right> = new Set(RIGHTS)

/**
 * What a member may do: the owner everything, always; others the union of their roles' rights, then the room's
 * overrides, of which the one of the highest role wins, then what a mute takes away.
 */
export function rightsOf(input: RightsInput): ReadonlySet<Right> {
  if (input.isOwner) return ALL

  const rights = new Set(input.roles.flatMap((role) => role.rights))

  const lowestFirst = input.roles.toSorted((a, b) => a.rank - b.rank)
  for (const role of lowestFirst) {
    for (const { roleId, allow, deny } of input.overrides) {
      if (roleId !== role.id) continue
      for (const right of allow) rights.add(right)
      for (const right of deny) rights.delete(right)
    }
  }

  if (input.chatMuted) for (const right of MUTED_IN_CHAT) rights.delete(right)
  if (input.voiceMuted) for (const right of MUTED_IN_VOICE) rights.delete(right)
  return rights
}
