import type { RoleTitle } from '@portico/contract'
import { DEFAULT_ROLES, SYSTEM_ROLES } from '@portico/contract/rights'
import { m } from '#paraglide/messages.js'

const TRANSLATED = {
  CHANNEL_OWNER: m.role_owner,
  CHANNEL_ADMIN: m.role_admin,
  CHANNEL_MODERATOR: m.role_moderator,
  CHANNEL_MEMBER: m.role_member,
  CHANNEL_BOT: m.role_bot,
}

/** The name of a role. Default roles that were never renamed are shown in the reader's language. */
export function roleName({ systemName, name }: RoleTitle): string {
  return systemName !== 'CUSTOM' && name === DEFAULT_ROLES[systemName].name ? TRANSLATED[systemName]() : name
}

/** The same for a role that a log knows only by its former name. */
export function loggedRoleName(name: string): string {
  const systemName = SYSTEM_ROLES.find((one) => DEFAULT_ROLES[one].name === name)
  return systemName ? TRANSLATED[systemName]() : name
}
