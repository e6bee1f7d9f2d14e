import type { Right } from './rights.ts'

/** The rights that a room can override for a role; the others apply to the whole channel. */
export const ROOM_RIGHTS = [
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
] as const satisfies readonly Right[]

export type RoomRight = (typeof ROOM_RIGHTS)[number]
