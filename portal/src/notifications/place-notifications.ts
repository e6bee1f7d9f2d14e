import type { PlaceNotifications } from '@portico/contract'
import { queryOptions, type QueryClient } from '@tanstack/svelte-query'
import { api, type OperationInput } from '#api/api.ts'
import { readStatesQuery } from '#unread/read-states.ts'

/** A room, or a channel if there is no room. */
export interface NotificationPlace {
  readonly channelId: string
  readonly roomId?: string
}

export type NotificationChoice = Omit<OperationInput<'updateChannelNotifications'>, 'channelId'>

/** What the account has chosen for a place. */
export function placeNotificationsQuery({ channelId, roomId }: NotificationPlace) {
  return queryOptions({
    queryKey: ['of-channel', channelId, 'notifications', roomId ?? null],
    queryFn: ({ signal }): Promise<PlaceNotifications> =>
      roomId === undefined
        ? api.getChannelNotifications({ channelId }, { signal })
        : api.getRoomNotifications({ roomId }, { signal }),
    staleTime: 0,
  })
}

export async function chooseNotifications(
  client: QueryClient,
  { channelId, roomId }: NotificationPlace,
  choice: NotificationChoice,
): Promise<void> {
  if (roomId === undefined) await api.updateChannelNotifications({ channelId, ...choice })
  else await api.updateRoomNotifications({ roomId, ...choice })
  await client.invalidateQueries(readStatesQuery)
}
