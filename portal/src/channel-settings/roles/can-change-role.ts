import type { OwnPermissions, Right, Role } from '@portico/contract'
import { m } from '#paraglide/messages.js'

/** Why the asker may not change a role at all; undefined where they may. */
export function whyRoleLocked({ rank }: OwnPermissions, role: Role): string | undefined {
  if (role.systemName === 'CHANNEL_OWNER') return m.channel_settings_role_owner()
  return role.rank >= rank ? m.channel_settings_role_above() : undefined
}

/** Why the asker may not give a right to a role. What a role has already may stay and may be taken. */
export function whyRightLocked(standing: OwnPermissions, role: Role, right: Right): string | undefined {
  const locked = whyRoleLocked(standing, role)
  if (locked !== undefined) return locked
  return standing.rights.includes(right) || role.rights.includes(right) ? undefined : m.channel_settings_right_lacking()
}
