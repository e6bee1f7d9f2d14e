/** Everything a role can allow, in the order in which screens show it. */
export const RIGHTS = [
  'read_text_room',
  'write_text_room',
  'edit_text_msg_you_own',
  'delete_text_msg_you_own',
  'delete_text_msg_any',
  'react_text_msg',
  'pin_text_msg',
  'mention_everyone',
  'join_voice_room',
  'talk_voice_room',
  'start_broadcast',
  'mute_chat_member',
  'mute_voice_member',
  'move_voice_member',
  'kick_member',
  'invite_member',
  'manage_rooms',
  'manage_roles',
  'manage_bots',
  'manage_channel',
  'view_audit_log',
] as const

export type Right = (typeof RIGHTS)[number]

export { ROOM_RIGHTS, type RoomRight } from './room-rights.ts'

/** What a mute takes away, whatever the roles say. */
export const MUTED_IN_CHAT: readonly Right[] = ['write_text_room', 'edit_text_msg_you_own', 'react_text_msg']
export const MUTED_IN_VOICE: readonly Right[] = ['talk_voice_room', 'start_broadcast']

export const SYSTEM_ROLES = [
  'CHANNEL_OWNER',
  'CHANNEL_ADMIN',
  'CHANNEL_MODERATOR',
  'CHANNEL_MEMBER',
  'CHANNEL_BOT',
] as const

export type SystemRole = (typeof SYSTEM_ROLES)[number]
export const ROLE_NAMES = [...SYSTEM_ROLES, 'CUSTOM'] as const
export type RoleName = (typeof ROLE_NAMES)[number]

const member: readonly Right[] = [
  'read_text_room',
  'write_text_room',
  'edit_text_msg_you_own',
  'delete_text_msg_you_own',
  'react_text_msg',
  'join_voice_room',
  'talk_voice_room',
]

const moderator: readonly Right[] = [
  ...member,
  'delete_text_msg_any',
  'pin_text_msg',
  'mention_everyone',
  'start_broadcast',
  'mute_chat_member',
  'mute_voice_member',
  'move_voice_member',
  'kick_member',
  'invite_member',
  'view_audit_log',
]

/** The roles that every channel starts with. Custom roles rank between member and administrator. */
export const DEFAULT_ROLES: Record<SystemRole, { name: string; rank: number; rights: readonly Right[] }> = {
  CHANNEL_OWNER: { name: 'Owner', rank: 1000, rights: RIGHTS },
  CHANNEL_ADMIN: { name: 'Administrator', rank: 900, rights: RIGHTS },
  CHANNEL_MODERATOR: { name: 'Moderator', rank: 500, rights: moderator },
  CHANNEL_MEMBER: { name: 'Member', rank: 100, rights: [...member, 'invite_member'] },
  CHANNEL_BOT: { name: 'Bot', rank: 50, rights: member },
}
