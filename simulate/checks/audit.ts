import type { AuditEntry } from '@portico/contract'
import { isDone, isRefused, type Exchange } from '../model/exchanges.ts'
import { applicationsByOwner } from '../model/timeline.ts'
import { effectsOf, writeOf, type Effect, type Write } from '../model/writes.ts'
import type { Check, Findings, Subject } from './violation.ts'

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
  // Only for the message of another author: deleting one’s own leaves no entry.
  delete: { action: 'message.deleted', about: message, ifChanged: true },
}

/** Every privileged act of the run has an audit entry with its actor, and nothing else has one. */
export const checkAudit: Check = (subject, findings) => {
  const { exchanges } = subject.run
  const found = countEntries(exchanges)
  if (found.size === 0) return
  const changed = new Map([...pinEffects(subject), ...deletionsOfOthers(subject)])
  const owned = applicationsByOwner(exchanges)
  const expected = new Map<string, Expected>()
  const expect = (action: string, about: string, exchange: Exchange, isSure: boolean): void => {
    const key = `${action} ${exchange.actor.id} ${about}`
    const { least, most, shownBy } = expected.get(key) ?? { least: 0, most: 0, shownBy: [] }
    expected.set(key, { least: least + (isSure ? 1 : 0), most: most + 1, shownBy: [...shownBy, exchange] })
  }
  for (const exchange of exchanges) {
    const audited = AUDITED[exchange.operation]
    if (!audited || isRefused(exchange) || exchange.isFinal) continue
    if (!found.channels.has(String(exchange.args['channelId']))) continue
    const effect = changed.get(exchange) ?? (audited.ifChanged ? 'unsure' : 'changed')
    if (effect === 'unchanged') continue
    const isSure = isDone(exchange) && effect === 'changed'
    expect(audited.action, audited.about(exchange.args as Args, exchange), exchange, isSure)
    if (exchange.operation !== 'ban') continue
    // Those of the bots that are in the channel.
    for (const applicationId of owned.get(String(exchange.args['userId'])) ?? [])
      expect('application.removed', applicationId, exchange, false)
  }
  compare(found, expected, exchanges, findings)
}

interface Expected {
  readonly least: number
  readonly most: number
  readonly shownBy: readonly Exchange[]
}

class Found extends Map<string, number> {
  /** Whose audit log was read to its end. */
  readonly channels = new Set<string>()
  readonly shownBy = new Map<string, Exchange>()
}

function compare(
  found: Found,
  expected: ReadonlyMap<string, Expected>,
  exchanges: readonly Exchange[],
  findings: Findings,
): void {
  for (const [key, { least, most, shownBy }] of expected) {
    const count = found.get(key) ?? 0
    findings.checked('audit', 'privileged acts')
    if (count >= least && count <= most) continue
    const wanted = count < least ? `at least ${least}` : `at most ${most}`
    findings.violated('audit', `${count} audit entries instead of ${wanted}: ${key}`, ...shownBy)
  }
  const creations = exchanges.filter(({ operation }) => operation === 'createRoom' || operation === 'createRole')
  const unanswered = new Set(
    creations.filter(({ status }) => status === undefined).map(({ operation }) => AUDITED[operation]?.action),
  )
  const actions = new Set(Object.values(AUDITED).map((audited) => audited?.action))
  for (const [key, entry] of found.shownBy) {
    const [action = ''] = key.split(' ')
    findings.checked('audit', 'entries')
    // What was created without an answer has an id that no answer contains.
    if (!actions.has(action) || expected.has(key) || unanswered.has(action)) continue
    findings.violated('audit', `an audit entry for what nobody did: ${key}`, entry)
  }
}

function countEntries(exchanges: readonly Exchange[]): Found {
  const found = new Found()
  for (const exchange of exchanges) {
    if (exchange.operation !== 'listAudit' || !exchange.isFinal || !isDone(exchange)) continue
    const { entries, hasMore } = exchange.body as { entries: AuditEntry[]; hasMore: boolean }
    if (!hasMore) found.channels.add(String(exchange.args['channelId']))
    for (const entry of entries) {
      const { actor, action, targetId, details } = entry
      const about = 'messageId' in details ? String(details['messageId']) : (targetId ?? '')
      const key = `${action} ${actor?.id} ${about}`
      found.set(key, (found.get(key) ?? 0) + 1)
      found.shownBy.set(key, { ...exchange, body: entry, marks: [] })
    }
  }
  return found
}

function* pinEffects({ run, faults }: Subject): Generator<[Exchange, Effect]> {
  const writes = new Map<string, Write<boolean>[]>()
  for (const exchange of run.exchanges) {
    if (exchange.operation !== 'pin' && exchange.operation !== 'unpin') continue
    const write = writeOf(exchange, exchange.operation === 'pin', faults)
    const key = String(exchange.args['messageId'])
    if (write) writes.set(key, [...(writes.get(key) ?? []), write])
  }
  for (const own of writes.values()) yield* effectsOf(own, false)
}

/** Only deleting what someone else wrote is moderation. */
function* deletionsOfOthers({ run, texts }: Subject): Generator<[Exchange, Effect]> {
  for (const exchange of run.exchanges) {
    if (exchange.operation !== 'delete') continue
    const message = texts.messages.get(String(exchange.args['messageId']))
    if (message) yield [exchange, message.authorId === exchange.actor.id ? 'unchanged' : 'changed']
  }
}
