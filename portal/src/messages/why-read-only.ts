import type { Room, RoomPermissions } from '@portico/contract'
import { describeMute } from '#moderation/describe-mute.ts'
import { m } from '#paraglide/messages.js'

/** Why the account can't write in a room, or undefined if it can. Optimistic until the permissions are loaded. */
export function whyReadOnly(room: Room, permissions: RoomPermissions | undefined): string | undefined {
  if (!permissions || permissions.rights.includes('write_text_room')) return undefined
  const { chatMute } = permissions
  if (chatMute) return describeMute('chat', chatMute)
  return room.writeRestricted ? m.closed_restricted() : m.closed_no_right()
}
