import type { Right } from '@portico/contract'
import { m } from '#paraglide/messages.js'

interface Words {
  readonly title: () => string
  readonly hint: () => string
}

/** The title and description of each right. */
export const RIGHT_LABELS: Readonly<Record<Right, Words>> = {
  read_text_room: { title: m.right_read_text_room, hint: m.right_read_text_room_hint },
  write_text_room: { title: m.right_write_text_room, hint: m.right_write_text_room_hint },
  edit_text_msg_you_own: { title: m.right_edit_text_msg_you_own, hint: m.right_edit_text_msg_you_own_hint },
  delete_text_msg_you_own: { title: m.right_delete_text_msg_you_own, hint: m.right_delete_text_msg_you_own_hint },
  delete_text_msg_any: { title: m.right_delete_text_msg_any, hint: m.right_delete_text_msg_any_hint },
  react_text_msg: { title: m.right_react_text_msg, hint: m.right_react_text_msg_hint },
  pin_text_msg: { title: m.right_pin_text_msg, hint: m.right_pin_text_msg_hint },
  join_voice_room: { title: m.right_join_voice_room, hint: m.right_join_voice_room_hint },
  talk_voice_room: { title: m.right_talk_voice_room, hint: m.right_talk_voice_room_hint },
  start_broadcast: { title: m.right_start_broadcast, hint: m.right_start_broadcast_hint },
  mute_chat_member: { title: m.right_mute_chat_member, hint: m.right_mute_chat_member_hint },
  mute_voice_member: { title: m.right_mute_voice_member, hint: m.right_mute_voice_member_hint },
  move_voice_member: { title: m.right_move_voice_member, hint: m.right_move_voice_member_hint },
  kick_member: { title: m.right_kick_member, hint: m.right_kick_member_hint },
  invite_member: { title: m.right_invite_member, hint: m.right_invite_member_hint },
  manage_rooms: { title: m.right_manage_rooms, hint: m.right_manage_rooms_hint },
  manage_roles: { title: m.right_manage_roles, hint: m.right_manage_roles_hint },
  manage_bots: { title: m.right_manage_bots, hint: m.right_manage_bots_hint },
  manage_channel: { title: m.right_manage_channel, hint: m.right_manage_channel_hint },
  view_audit_log: { title: m.right_view_audit_log, hint: m.right_view_audit_log_hint },
}

export interface RightGroup {
  readonly title: () => string
  readonly rights: readonly Right[]
}

export const RIGHT_GROUPS: readonly RightGroup[] = [
  {
    title: m.rights_messages,
    rights: [
      'read_text_room',
      'write_text_room',
      'react_text_msg',
      'edit_text_msg_you_own',
      'delete_text_msg_you_own',
      'delete_text_msg_any',
      'pin_text_msg',
    ],
  },
  { title: m.rights_voice, rights: ['join_voice_room', 'talk_voice_room', 'start_broadcast'] },
  {
    title: m.rights_people,
    rights: ['invite_member', 'mute_chat_member', 'mute_voice_member', 'move_voice_member', 'kick_member'],
  },
  {
    title: m.rights_channel,
    rights: ['manage_rooms', 'manage_roles', 'manage_bots', 'manage_channel', 'view_audit_log'],
  },
]
