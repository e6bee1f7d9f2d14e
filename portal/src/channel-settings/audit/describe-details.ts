import type { AuditEntry } from '@portico/contract'
import { RIGHTS } from '@portico/contract/rights'
import { ROLE_COLORS } from '@portico/contract/role-colors'
import { isChange, formatValue } from '#audit/describe-change.ts'
import { m } from '#paraglide/messages.js'
import { COLOR_LABELS } from '#roles/color-labels.ts'
import { RIGHT_LABELS } from '#texts/right-labels.ts'
import { loggedRoleName } from '#roles/role-name.ts'
import { dateTime } from '#texts/times.ts'

/** Current names for ids in the log. */
export interface Names {
  readonly room: (id: unknown) => string | undefined
  readonly category: (id: unknown) => string | undefined
}

const FIELDS: Readonly<Record<string, () => string>> = {
  name: m.audit_field_name,
  color: m.color,
  description: m.audit_field_description,
  open: m.audit_field_open,
  showModerators: m.audit_field_show_moderators,
  topic: m.audit_field_topic,
  categoryId: m.audit_field_category,
  private: m.audit_field_private,
  writeRestricted: m.audit_field_restricted,
  userLimit: m.audit_field_limit,
  nickname: m.audit_field_nickname,
}

/** What changed, one line each. Details that mean nothing to people are left out. */
export function describeDetails({ action, details }: AuditEntry, names: Names): string[] {
  switch (action) {
    case 'member.chat_muted':
    case 'member.voice_muted':
      return [
        typeof details['mutedUntil'] === 'string'
          ? m.audit_until({ when: dateTime(details['mutedUntil']) })
          : m.audit_until_unmuted(),
      ]
    case 'member.banned':
      return [
        typeof details['bannedUntil'] === 'string'
          ? m.audit_until({ when: dateTime(details['bannedUntil']) })
          : m.ban_until_lifted(),
        ...listed(details['keptBots'], (bots) => m.audit_bots_kept({ bots })),
      ]
    case 'application.removed':
      return details['ownerBanned'] === true ? [m.audit_owner_banned()] : []
    case 'member.nickname_changed':
      return [
        ...changed('nickname', details['nickname'], names),
        ...(details['nameOfNewMember'] === true ? [m.audit_name_of_new_member()] : []),
      ]
    case 'member.roles_changed':
      return [
        ...listed(roleNames(details['added']), (roles) => m.audit_roles_added({ roles })),
        ...listed(roleNames(details['taken']), (roles) => m.audit_roles_removed({ roles })),
      ]
    case 'member.moved': {
      const room = (id: unknown) => names.room(id) ?? m.audit_room_deleted_name()
      return [m.audit_moved({ from: room(details['fromRoomId']), to: room(details['toRoomId']) })]
    }
    case 'room.override_set': {
      const lines = [
        ...listed(rightTitles(details['allow']), (rights) => m.audit_allowed({ rights })),
        ...listed(rightTitles(details['deny']), (rights) => m.audit_denied({ rights })),
      ]
      return [
        m.audit_role({ role: loggedRoleName(formatValue(details['role'])) }),
        ...(lines.length > 0 ? lines : [m.audit_override_removed()]),
      ]
    }
    case 'room.admissions_changed':
      return [
        ...listed(roleNames(details['roles']), (roles) => m.audit_admits_roles({ roles })),
        ...listed(details['members'], (members) => m.audit_admits_members({ members })),
      ]
    case 'roles.sorted':
      return listed(roleNames(details['order']), (order) => m.audit_order({ order }))
    case 'role.created':
      return [
        ...listed(rightTitles(details['rights']), (rights) => m.audit_rights_added({ rights })),
        ...listed([colorName(details['color'])], (color) => m.audit_color({ color })),
      ]
    case 'member.joined':
      return typeof details['invitation'] === 'string' ? [m.audit_by_invitation({ code: details['invitation'] })] : []
    case 'invitation.created':
      return [
        ...(typeof details['maxUses'] === 'number' ? [m.audit_uses({ count: details['maxUses'] })] : []),
        typeof details['expiresAt'] === 'string'
          ? m.audit_until({ when: dateTime(details['expiresAt']) })
          : m.audit_until_unmuted(),
      ]
    case 'member.disconnected':
    case 'message.deleted':
    case 'message.pinned':
    case 'message.unpinned':
      return [m.audit_room({ name: names.room(details['roomId']) ?? m.audit_room_deleted_name() })]
    default:
      return Object.entries(details).flatMap(([field, change]) => changed(field, change, names))
  }
}

function changed(field: string, change: unknown, names: Names): string[] {
  if (!isChange(change)) return []
  if (field === 'rights') {
    const [from, to] = [list(change.from), list(change.to)]
    return [
      ...listed(rightTitles(to.filter((right) => !from.includes(right))), (rights) => m.audit_rights_added({ rights })),
      ...listed(rightTitles(from.filter((right) => !to.includes(right))), (rights) =>
        m.audit_rights_removed({ rights }),
      ),
    ]
  }
  const label = FIELDS[field]
  if (!label) return []
  const value = (one: unknown) => {
    if (field === 'color') return colorName(one) ?? formatValue(one)
    return field === 'categoryId' && one !== null ? (names.category(one) ?? '…') : formatValue(one)
  }
  return [m.audit_from_to({ field: label(), from: value(change.from), to: value(change.to) })]
}

function list(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}

function listed(value: unknown, format: (names: string) => string): string[] {
  const names = list(value)
  return names.length > 0 ? [format(names.join(', '))] : []
}

function colorName(value: unknown): string | undefined {
  const color = ROLE_COLORS.find((one) => one === value)
  return color && COLOR_LABELS[color]()
}

function roleNames(roles: unknown): string[] {
  return list(roles).map(loggedRoleName)
}

function rightTitles(rights: unknown): string[] {
  return list(rights).map((name) => {
    const right = RIGHTS.find((one) => one === name)
    return right ? RIGHT_LABELS[right].title() : name
  })
}
