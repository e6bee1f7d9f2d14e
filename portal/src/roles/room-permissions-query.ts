import { queryOptions } from '@tanstack/svelte-query'
import { api } from '#api/api.ts'

/** What the account may do in a room now. Refetched when anything in the channel changes. */
export function roomPermissionsQuery({ channelId, roomId }: { channelId: string; roomId: string }) {
  return queryOptions({
    queryKey: ['of-channel', channelId, 'permissions', roomId],
    queryFn: ({ signal }) => api.getRoomPermissions({ roomId }, { signal }),
  })
}
