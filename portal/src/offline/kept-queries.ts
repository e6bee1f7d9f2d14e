import type { QueryKey } from '@tanstack/svelte-query'

const OF_ACCOUNT = new Set<unknown>(['session', 'instance', 'channels', 'read-states'])
const OF_CHANNEL = new Set<unknown>(['permissions', 'role-colors', 'commands'])

/** Whether a room can't be shown without the result of this query. */
export function isKept([first, , part]: QueryKey): boolean {
  return OF_ACCOUNT.has(first) || first === 'rooms' || (first === 'of-channel' && OF_CHANNEL.has(part))
}

/** The channel and room that a query is about. */
export function placeOf([first, channelId, , roomId]: QueryKey): {
  channelId?: string | undefined
  roomId?: string | undefined
} {
  if (OF_ACCOUNT.has(first)) return {}
  return { channelId: textOf(channelId), roomId: textOf(roomId) }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
