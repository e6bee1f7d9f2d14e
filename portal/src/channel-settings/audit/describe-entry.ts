import type { AuditEntry } from '@portico/contract'
import { m } from '#paraglide/messages.js'

type Tell = (who: { actor: string; target: string }) => string

const SENTENCES: Readonly<Record<string, Tell>> = {
  'channel.created': m.audit_channel_created,
  'channel.updated': m.audit_channel_updated,
  'channel.transferred': m.audit_channel_transferred,
  'channel.picture_set': m.audit_channel_picture_set,
  'channel.picture_removed': m.audit_channel_picture_removed,
  'room.created': m.audit_room_created,
  'room.updated': m.audit_room_updated,
  'room.deleted': m.audit_room_deleted,
  'room.override_set': m.audit_room_override_set,
  'room.admissions_changed': m.audit_room_admissions_changed,
  'room.stream_key_issued': m.audit_room_stream_key_issued,
  'room.stream_key_reissued': m.audit_room_stream_key_reissued,
  'room.stream_key_revoked': m.audit_room_stream_key_revoked,
  'rooms.sorted': m.audit_rooms_sorted,
  'category.created': m.audit_category_created,
  'category.updated': m.audit_category_updated,
  'category.deleted': m.audit_category_deleted,
  'role.created': m.audit_role_created,
  'role.updated': m.audit_role_updated,
  'role.deleted': m.audit_role_deleted,
  'roles.sorted': m.audit_roles_sorted,
  'member.joined': m.audit_member_joined,
  'member.left': m.audit_member_left,
  'member.kicked': m.audit_member_kicked,
  'member.banned': m.audit_member_banned,
  'member.unbanned': m.audit_member_unbanned,
  'member.roles_changed': m.audit_member_roles_changed,
  'member.nickname_changed': m.audit_member_nickname_changed,
  'member.chat_muted': m.audit_member_chat_muted,
  'member.chat_unmuted': m.audit_member_chat_unmuted,
  'member.voice_muted': m.audit_member_voice_muted,
  'member.voice_unmuted': m.audit_member_voice_unmuted,
  'member.disconnected': m.audit_member_disconnected,
  'member.moved': m.audit_member_moved,
  'application.installed': m.audit_application_installed,
  'application.removed': m.audit_application_removed,
  'invitation.created': m.audit_invitation_created,
  'invitation.revoked': m.audit_invitation_revoked,
  'message.deleted': m.audit_message_deleted,
  'message.pinned': m.audit_message_pinned,
  'message.unpinned': m.audit_message_unpinned,
}

/** The entry as a sentence. An unknown action is shown under its name in the log. */
export function describeEntry({ action, actor, targetId, targetName, targetIsBot }: AuditEntry): string {
  const marked = (name: string, isBot?: boolean) => (isBot ? `${name} (${m.bot_badge()})` : name)
  const who = {
    actor: actor ? marked(actor.name, actor.isBot) : m.audit_system(),
    target: marked(targetName ?? '', targetIsBot),
  }
  if (action === 'member.nickname_changed' && actor?.id === targetId) return m.audit_member_nickname_own(who)
  return SENTENCES[action]?.(who) ?? m.audit_other({ actor: who.actor, action })
}
