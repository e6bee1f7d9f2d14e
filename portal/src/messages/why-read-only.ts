import type { Room, RoomPermissions } from '@portico/contract'
import { m } from '#paraglide/messages.js'
import { momentOf } from './moments.ts'

/** Why the account can't write in a room, or undefined if it can. Optimistic until the permissions are loaded. */
export function whyReadOnly(room: Room, permissions: RoomPermissions | undefined): string | undefined {
  if (!permissions || permissions.rights.includes('write_text_room')) return undefined
  const { chatMute } = permissions
  if (chatMute)
    return chatMute.until === null ? m.closed_muted() : m.closed_muted_until({ time: momentOf(chatMute.until) })
  return room.writeRestricted ? m.closed_restricted() : m.closed_no_right()
}
