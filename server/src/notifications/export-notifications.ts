import type { Tx } from '../operations/transaction.ts'
import { getNotificationSettings } from './notification-settings.ts'

/** What a person has chosen to be notified about, for the export of their data. */
export async function exportNotifications(tx: Tx, accountId: string): Promise<object> {
  const channels = await tx.db
    .selectFrom('channel_notifications')
    .select(['channel_id as channelId', 'level', 'muted', 'muted_until as mutedUntil'])
    .where('account_id', '=', accountId)
    .orderBy('channel_id')
    .execute()
  const rooms = await tx.db
    .selectFrom('member_rooms')
    .select(['channel_id as channelId', 'room_id as roomId', 'level', 'muted', 'muted_until as mutedUntil'])
    .where('account_id', '=', accountId)
    .where((eb) => eb.or([eb('muted', '=', true), eb('level', 'is not', null)]))
    .orderBy('room_id')
    .execute()
  return { settings: await getNotificationSettings(tx), channels, rooms }
}
