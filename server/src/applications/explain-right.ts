import { MUTED_IN_CHAT, MUTED_IN_VOICE, rightsOf, ROOM_RIGHTS, type AccessCheck, type Right } from '@portico/contract'
import { rightsInputOf, type PlaceRow } from '../operations/authorize.ts'

/**
 * Which of role, room and mute removes a right. `rightsOf` is called with the later ones left out: the step that changes
 * the result is the one that forbids it. Without a row an earlier check has failed, and rights don't matter.
 */
export function explainRight(right: Right, inRoom: boolean, botId: string, row?: PlaceRow): AccessCheck[] {
  const wanted = { role: true, override: inRoom && has(ROOM_RIGHTS, right), mute: isTakenByMutes(right) }
  const all = row ? judged(right, botId, row) : unknown(right)
  return all.filter(({ check }) => wanted[check])
}

type RightCheck = AccessCheck & { check: 'role' | 'override' | 'mute' }

function unknown(right: Right): RightCheck[] {
  return (['role', 'override', 'mute'] as const).map((check) => ({ check, state: 'unknown', right }))
}

function judged(right: Right, botId: string, row: PlaceRow): RightCheck[] {
  const input = rightsInputOf(row, row.ownerId === botId)
  const unmuted = { ...input, chatMuted: false, voiceMuted: false }
  const byRoles = rightsOf({ ...unmuted, overrides: [] }).has(right)
  const inThisRoom = rightsOf(unmuted).has(right)
  const atLast = rightsOf(input).has(right)

  const roles = row.roles.map(({ systemName, name }) => ({ systemName, name }))
  const byRole = inThisRoom ? 'overruled' : 'forbids'
  return [
    { check: 'role', state: byRoles ? 'passes' : byRole, right, roles },
    { check: 'override', state: byRoles && !inThisRoom ? 'forbids' : 'passes', right, roles: deniedTo(row, right) },
    { check: 'mute', state: inThisRoom && !atLast ? 'forbids' : 'passes', right },
  ]
}

function deniedTo({ roles, overrides }: PlaceRow, right: Right) {
  const denying = new Set((overrides ?? []).filter(({ deny }) => has(deny, right)).map(({ roleId }) => roleId))
  return roles.filter(({ id }) => denying.has(id)).map(({ systemName, name }) => ({ systemName, name }))
}

export function isTakenInChat(right: Right): boolean {
  return has(MUTED_IN_CHAT, right)
}

function isTakenByMutes(right: Right): boolean {
  return isTakenInChat(right) || has(MUTED_IN_VOICE, right)
}

function has(rights: readonly Right[], right: Right): boolean {
  return rights.includes(right)
}
