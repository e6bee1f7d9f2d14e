import type { AccessCheck, Application } from '@portico/contract'
import { m } from '#paraglide/messages.js'
import { RIGHT_LABELS } from '#texts/right-labels.ts'
import { roleName } from '#roles/role-name.ts'
import { dateTime } from '#texts/times.ts'
import { SCOPE_LABELS } from './scope-labels.ts'

type Name = AccessCheck['check']

export const CHECK_NAMES: Readonly<Record<Name, () => string>> = {
  scope: m.applications_check_scope,
  installation: m.applications_check_installation,
  room: m.applications_check_room,
  media: m.applications_check_media,
  role: m.applications_check_role,
  override: m.applications_check_override,
  mute: m.applications_check_mute,
  kinds: m.applications_check_kinds,
  commands: m.applications_commands,
}

const ROOM_ERRORS = {
  no_such_room: m.applications_check_room_missing,
  not_admitted: m.applications_check_room_not_admitted,
  wrong_room_type: m.applications_check_room_type,
} as const

/** The result of a check as a sentence. */
export function findingOf(check: AccessCheck): string {
  if (check.state === 'unknown') return m.applications_check_not_checked()
  return FINDINGS[check.check](check, check.state === 'forbids')
}

const FINDINGS: Readonly<Record<Name, (check: AccessCheck, forbids: boolean) => string>> = {
  scope: ({ scope, fault }, forbids) => {
    if (fault === 'no_key' || scope === undefined) return m.applications_check_scope_no_key()
    const words = SCOPE_LABELS[scope]()
    return forbids
      ? m.applications_check_scope_lacks({ scope, words })
      : m.applications_check_scope_has({ scope, words })
  },
  installation: (_check, forbids) =>
    forbids ? m.applications_check_not_installed() : m.applications_check_installed(),
  room: ({ fault }, forbids) => {
    return forbids && fault && fault in ROOM_ERRORS
      ? ROOM_ERRORS[fault as keyof typeof ROOM_ERRORS]()
      : m.applications_check_room_fits()
  },
  media: (_check, forbids) => (forbids ? m.applications_check_media_off() : m.applications_check_media_on()),
  role: (check) => {
    const { roles = [], state } = check
    const right = rightOf(check)
    const names = roles.map(roleName).join(', ')
    if (state === 'overruled') return m.applications_check_role_overruled({ right, roles: names })
    return state === 'forbids'
      ? m.applications_check_role_lacks({ right, roles: names })
      : m.applications_check_role_has({ right, roles: names })
  },
  override: (check, forbids) =>
    forbids
      ? m.applications_check_override_denies({
          right: rightOf(check),
          roles: (check.roles ?? []).map(roleName).join(', '),
        })
      : m.applications_check_override_fits(),
  mute: ({ until }, forbids) => {
    if (!forbids) return m.applications_check_not_muted()
    return until ? m.applications_check_muted_until({ date: dateTime(until) }) : m.applications_check_muted()
  },
  commands: ({ fault }, forbids) => {
    if (!forbids) return m.applications_check_commands_declared()
    return fault === 'no_suggestions' ? m.applications_check_no_suggestions() : m.applications_commands_none()
  },
  kinds: ({ kinds, fault }) => {
    if (fault === 'not_connected') return m.applications_check_not_connected()
    return kinds ? m.applications_check_kinds_named({ kinds: kinds.join(', ') }) : m.applications_check_kinds_default()
  },
}

/** The right under its name in the role settings. */
function rightOf({ right }: AccessCheck): string {
  return right === undefined ? '' : RIGHT_LABELS[right].title()
}

export interface Advice {
  readonly text: string
  /** A link, if the owner can do it themselves. */
  readonly href?: string
  readonly way?: string
}

/** What to do about a failed check. */
export function adviceOn(check: AccessCheck, application: Application, channelId: string): Advice | undefined {
  if (check.state !== 'forbids') return undefined
  return ADVICE[check.check](check, application, channelId)
}

const ADVICE: Readonly<Record<Name, (check: AccessCheck, application: Application, channelId: string) => Advice>> = {
  scope: ({ fault }, { id }) => {
    const href = `/apps/${id}/bot`
    if (fault === 'no_key') return { text: m.applications_advice_key(), href, way: m.applications_key_issue() }
    return { text: m.applications_advice_scope(), href, way: m.applications_bot() }
  },
  installation: (_check, { id }, channelId) => ({
    text: m.applications_advice_install(),
    href: `/install/${id}?channel=${channelId}`,
    way: m.applications_install_here(),
  }),
  room: ({ fault }) => ({
    text: fault === 'wrong_room_type' ? m.applications_advice_room_type() : m.applications_advice_room(),
  }),
  media: () => ({ text: m.applications_advice_media() }),
  role: (check) => ({ text: m.applications_advice_role({ right: rightOf(check) }) }),
  override: (check) => ({ text: m.applications_advice_override({ right: rightOf(check) }) }),
  mute: () => ({ text: m.applications_advice_mute() }),
  kinds: ({ fault }) => ({
    text: fault === 'not_connected' ? m.applications_advice_connect() : m.applications_advice_kinds(),
  }),
  commands: ({ fault }, { id }) => ({
    text: fault === 'no_suggestions' ? m.applications_advice_suggestions() : m.applications_advice_commands(),
    href: `/apps/${id}/commands`,
    way: m.applications_commands(),
  }),
}
