import { RIGHTS, type Right } from '@portico/contract/rights'
import { m } from '#paraglide/messages.js'

type Group = 'messages' | 'voice' | 'people' | 'channel'

interface RightLabel {
  readonly group: Group
  readonly title: () => string
  readonly hint: () => string
}

/** The group, title and description of each right. */
export const RIGHT_LABELS: Readonly<Record<Right, RightLabel>> = {
  read_text_room: { group: 'messages', title: m.right_read_text_room, hint: m.right_read_text_room_hint },
  write_text_room: { group: 'messages', title: m.right_write_text_room, hint: m.right_write_text_room_hint },
  edit_text_msg_you_own: {
    group: 'messages',
    title: m.right_edit_text_msg_you_own,
    hint: m.right_edit_text_msg_you_own_hint,
  },
  delete_text_msg_you_own: {
    group: 'messages',
    title: m.right_delete_text_msg_you_own,
    hint: m.right_delete_text_msg_you_own_hint,
  },
  delete_text_msg_any: {
    group: 'messages',
    title: m.right_delete_text_msg_any,
    hint: m.right_delete_text_msg_any_hint,
  },
  react_text_msg: { group: 'messages', title: m.right_react_text_msg, hint: m.right_react_text_msg_hint },
  pin_text_msg: { group: 'messages', title: m.right_pin_text_msg, hint: m.right_pin_text_msg_hint },
  mention_everyone: { group: 'messages', title: m.right_mention_everyone, hint: m.right_mention_everyone_hint },
  join_voice_room: { group: 'voice', title: m.right_join_voice_room, hint: m.right_join_voice_room_hint },
  talk_voice_room: { group: 'voice', title: m.right_talk_voice_room, hint: m.right_talk_voice_room_hint },
  start_broadcast: { group: 'voice', title: m.right_start_broadcast, hint: m.right_start_broadcast_hint },
  mute_chat_member: { group: 'people', title: m.right_mute_chat_member, hint: m.right_mute_chat_member_hint },
  mute_voice_member: { group: 'people', title: m.right_mute_voice_member, hint: m.right_mute_voice_member_hint },
  move_voice_member: { group: 'people', title: m.right_move_voice_member, hint: m.right_move_voice_member_hint },
  kick_member: { group: 'people', title: m.right_kick_member, hint: m.right_kick_member_hint },
  invite_member: { group: 'people', title: m.right_invite_member, hint: m.right_invite_member_hint },
  manage_rooms: { group: 'channel', title: m.right_manage_rooms, hint: m.right_manage_rooms_hint },
  manage_roles: { group: 'channel', title: m.right_manage_roles, hint: m.right_manage_roles_hint },
  manage_bots: { group: 'channel', title: m.right_manage_bots, hint: m.right_manage_bots_hint },
  manage_channel: { group: 'channel', title: m.right_manage_channel, hint: m.right_manage_channel_hint },
  view_audit_log: { group: 'channel', title: m.right_view_audit_log, hint: m.right_view_audit_log_hint },
}

const GROUP_TITLES: Readonly<Record<Group, () => string>> = {
  messages: m.rights_messages,
  voice: m.rights_voice,
  people: m.rights_people,
  channel: m.rights_channel,
}

export function isInGroup(right: Right, group: Group): boolean {
  return RIGHT_LABELS[right].group === group
}

/** All rights in groups, both in the order of the screens. */
export const RIGHT_GROUPS = (['messages', 'voice', 'people', 'channel'] as const).map((group) => ({
  title: GROUP_TITLES[group],
  rights: RIGHTS.filter((right) => isInGroup(right, group)),
}))
