import type { Scope } from '@portico/contract'
import { m } from '#paraglide/messages.js'

/** The scopes in the groups that the screens show. */
export const SCOPE_GROUPS: readonly { label: () => string; scopes: readonly Scope[] }[] = [
  { label: m.applications_scopes_reading, scopes: ['channel:read', 'messages:read', 'events'] },
  { label: m.applications_scopes_writing, scopes: ['messages:write', 'commands'] },
  { label: m.applications_scopes_voice, scopes: ['voice'] },
  { label: m.applications_scopes_moderating, scopes: ['moderation'] },
]

/** What each scope allows. */
export const SCOPE_LABELS: Readonly<Record<Scope, () => string>> = {
  'channel:read': m.applications_scope_channel_read,
  'messages:read': m.applications_scope_messages_read,
  'messages:write': m.applications_scope_messages_write,
  voice: m.applications_scope_voice,
  events: m.applications_scope_events,
  moderation: m.applications_scope_moderation,
  commands: m.applications_scope_commands,
}

/** In the order they are shown. */
export function sortScopes(scopes: readonly Scope[]): Scope[] {
  return SCOPE_GROUPS.flatMap((group) => group.scopes.filter((scope) => scopes.includes(scope)))
}
