import type { OwnPermissions, Right, Role } from '@portico/contract'
import { m } from '#paraglide/messages.js'

/** Why the reader can't change a role; undefined if they can. */
export function whyRoleLocked({ rank }: OwnPermissions, role: Role): string | undefined {
  if (role.systemName === 'CHANNEL_OWNER') return m.channel_settings_role_owner()
  return role.rank >= rank ? m.channel_settings_role_above() : undefined
}

/** Whether the reader can choose the color of a role: of those that they can change, and of the owner's if it is theirs. */
export function mayColorRole(permissions: OwnPermissions, role: Role): boolean {
  return (
    whyRoleLocked(permissions, role) === undefined ||
    (role.systemName === 'CHANNEL_OWNER' && permissions.roleIds.includes(role.id))
  )
}

/** Why the reader can't give a right to a role. A right that it has may stay or be removed. */
export function whyRightLocked(permissions: OwnPermissions, role: Role, right: Right): string | undefined {
  const locked = whyRoleLocked(permissions, role)
  if (locked !== undefined) return locked
  return permissions.rights.includes(right) || role.rights.includes(right)
    ? undefined
    : m.channel_settings_right_lacking()
}
