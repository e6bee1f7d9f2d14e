import type { AuditEntry } from '@portico/contract'
import { isDone, type Exchange } from '../model/exchanges.ts'
import type { Check, Violation } from './violation.ts'

type Args = Readonly<Record<string, string>>

interface Audited {
  readonly action: string
  /** What the entry is about, as it is in the entry or in its details. */
  readonly about: (args: Args, exchange: Exchange) => string
  /** An act that changes nothing need not have an entry. */
  readonly ifChanged?: true
}

const created = (_: Args, { body }: Exchange): string => (body as { id?: string } | undefined)?.id ?? ''
const room = ({ roomId = '' }: Args): string => roomId
const role = ({ roleId = '' }: Args): string => roleId
const member = ({ userId = '' }: Args): string => userId
const application = ({ applicationId = '' }: Args): string => applicationId
const message = ({ messageId = '' }: Args): string => messageId
const self = (_: Args, { actor }: Exchange): string => actor.id

const AUDITED: Partial<Record<string, Audited>> = {
  createRoom: { action: 'room.created', about: created },
  updateRoom: { action: 'room.updated', about: room, ifChanged: true },
  deleteRoom: { action: 'room.deleted', about: room },
  setAdmissions: { action: 'room.admissions_changed', about: room },
  setOverride: { action: 'room.override_set', about: room },
  createRole: { action: 'role.created', about: created },
  updateRole: { action: 'role.updated', about: role, ifChanged: true },
  deleteRole: { action: 'role.deleted', about: role },
  setMemberRoles: { action: 'member.roles_changed', about: member, ifChanged: true },
  setNickname: { action: 'member.nickname_changed', about: member, ifChanged: true },
  muteChat: { action: 'member.chat_muted', about: member },
  unmuteChat: { action: 'member.chat_unmuted', about: member, ifChanged: true },
  muteVoice: { action: 'member.voice_muted', about: member },
  unmuteVoice: { action: 'member.voice_unmuted', about: member, ifChanged: true },
  kick: { action: 'member.kicked', about: member },
  ban: { action: 'member.banned', about: member },
  liftBan: { action: 'member.unbanned', about: member },
  join: { action: 'member.joined', about: self, ifChanged: true },
  leave: { action: 'member.left', about: self },
  install: { action: 'application.installed', about: application, ifChanged: true },
  uninstall: { action: 'application.removed', about: application },
  pin: { action: 'message.pinned', about: message, ifChanged: true },
  unpin: { action: 'message.unpinned', about: message, ifChanged: true },
  // Only somebody else’s: who deletes an own message leaves no entry.
  delete: { action: 'message.deleted', about: message, ifChanged: true },
}

/** Every privileged act of the run has its entry, by whoever did it, and there is no entry for anything else. */
export const checkAudit: Check = ({ exchanges }) => {
  const violations: Violation[] = []
  const entries = auditEntries(exchanges)
  if (entries.length === 0) return []
  const found = new Map<string, number>()
  for (const { actor, action, targetId, details } of entries) {
    const about = 'messageId' in details ? String(details['messageId']) : (targetId ?? '')
    const key = `${action} ${actor?.id} ${about}`
    found.set(key, (found.get(key) ?? 0) + 1)
  }
  const expected = new Map<string, { least: number; most: number; shownBy: Exchange[] }>()
  for (const exchange of exchanges) {
    const audited = AUDITED[exchange.operation]
    if (!audited || (exchange.status !== undefined && !isDone(exchange))) continue
    const key = `${audited.action} ${exchange.actor.id} ${audited.about(exchange.args as Args, exchange)}`
    const { least, most, shownBy } = expected.get(key) ?? { least: 0, most: 0, shownBy: [] }
    const isSure = isDone(exchange) && !audited.ifChanged
    expected.set(key, { least: least + (isSure ? 1 : 0), most: most + 1, shownBy: [...shownBy, exchange] })
  }
  for (const [key, { least, most, shownBy }] of expected) {
    const count = found.get(key) ?? 0
    if (count < least) violations.push({ rule: 'audit', what: `${count} entries instead of ${least}: ${key}`, shownBy })
    if (count > most) violations.push({ rule: 'audit', what: `${count} entries instead of ${most}: ${key}`, shownBy })
  }
  for (const key of found.keys()) {
    const [action = ''] = key.split(' ')
    const isOfRun = Object.values(AUDITED).some((audited) => audited?.action === action)
    // What was created without an answer has an id that no answer told.
    const isUnanswered = exchanges.some(
      ({ operation, status }) => status === undefined && AUDITED[operation]?.action === action,
    )
    if (isOfRun && !expected.has(key) && !isUnanswered) {
      violations.push({ rule: 'audit', what: `an entry for what nobody did: ${key}`, shownBy: [] })
    }
  }
  return violations
}

function auditEntries(exchanges: readonly Exchange[]): AuditEntry[] {
  return exchanges.flatMap((exchange) =>
    exchange.operation === 'listAudit' && exchange.isFinal && isDone(exchange)
      ? (exchange.body as { entries: AuditEntry[] }).entries
      : [],
  )
}
