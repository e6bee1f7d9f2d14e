import { queryOptions } from '@tanstack/svelte-query'
import { roomPermissionsQuery } from '#roles/room-permissions-query.ts'

/**
 * The account's permissions in the open room, which its page loads; nothing is requested for them here. Rights that rooms
 * can't override, such as `manage_rooms`, are those in the whole channel.
 */
export function openRoomPermissionsQuery(channelId: string, roomId: string | undefined) {
  return queryOptions({ ...roomPermissionsQuery({ channelId, roomId: roomId ?? '' }), enabled: false })
}
