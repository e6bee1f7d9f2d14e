import type { Room } from '@portico/contract'
import { m } from '#paraglide/messages.js'
import type { IconName } from '#ui/Icon.svelte'

export const ROOM_ICONS = { text: 'hash', voice: 'voice', stream: 'video' } as const satisfies Record<
  Room['type'],
  IconName
>

/** A room's name in a sentence. */
export function titleOf({ type, name }: Pick<Room, 'type' | 'name'>): string {
  return type === 'text' ? `#${name}` : name
}

/** What the icons next to a room's name mean, for screen readers. */
export function traitsOf(room: Room): string[] {
  const traits = [{ text: m.room_text, voice: m.room_voice, stream: m.room_stream }[room.type]()]
  if (room.private) traits.push(m.room_private())
  if (room.writeRestricted) traits.push(m.room_write_restricted())
  return traits
}
