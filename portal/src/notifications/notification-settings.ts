import type { NotificationSettings } from '@portico/contract'
import { queryOptions, type QueryClient } from '@tanstack/svelte-query'
import { api, type OperationInput } from '#api/api.ts'

/** The account's settings for all its devices. */
export const notificationSettingsQuery = queryOptions({
  queryKey: ['notification-settings'],
  queryFn: ({ signal }): Promise<NotificationSettings> => api.getNotificationSettings({}, { signal }),
  // Another device may have changed them.
  staleTime: 0,
})

export async function changeNotificationSettings(
  client: QueryClient,
  change: OperationInput<'updateNotificationSettings'>,
): Promise<void> {
  client.setQueryData(notificationSettingsQuery.queryKey, await api.updateNotificationSettings(change))
}
