import { isTimeZone, notificationSettingsChanged, type Input, type NotificationSettings } from '@portico/contract'
import type * as api from '@portico/contract'
import { signedIn } from '../accounts/sessions.ts'
import { publishToPerson } from '../events/ephemeral.ts'
import { wrongField } from '../operations/refusal.ts'
import type { Tx } from '../operations/transaction.ts'

const DEFAULTS: NotificationSettings = { sound: true, doNotDisturb: null }

export async function getNotificationSettings(tx: Tx): Promise<NotificationSettings> {
  const row = await tx.db
    .selectFrom('notification_settings')
    .select(['sound', 'quiet_from', 'quiet_until', 'time_zone'])
    .where('account_id', '=', signedIn(tx).id)
    .executeTakeFirst()
  return row ? { sound: row.sound, doNotDisturb: quietHoursOf(row) } : DEFAULTS
}

export async function updateNotificationSettings(
  tx: Tx,
  { sound, doNotDisturb }: Input<typeof api.updateNotificationSettings>,
): Promise<NotificationSettings> {
  // Judged by the program, which also goes by it: the database may know other time zones.
  if (doNotDisturb && !isTimeZone(doNotDisturb.timeZone)) {
    throw wrongField('doNotDisturb.timeZone', 'must be a time zone, such as Europe/Berlin')
  }
  const { id } = signedIn(tx)
  const changed = {
    ...(sound !== undefined && { sound }),
    ...(doNotDisturb !== undefined && {
      quiet_from: doNotDisturb?.from ?? null,
      quiet_until: doNotDisturb?.until ?? null,
      time_zone: doNotDisturb?.timeZone ?? null,
    }),
  }
  if (Object.keys(changed).length > 0) {
    await tx.db
      .insertInto('notification_settings')
      .values({ account_id: id, ...changed })
      .onConflict((conflict) => conflict.column('account_id').doUpdateSet(changed))
      .execute()
  }
  const settings = await getNotificationSettings(tx)
  tx.afterCommit(({ bus }) => publishToPerson(bus, id, notificationSettingsChanged, null, { settings }))
  return settings
}

export interface QuietColumns {
  readonly quiet_from: string | null
  readonly quiet_until: string | null
  readonly time_zone: string | null
}

export function quietHoursOf({
  quiet_from,
  quiet_until,
  time_zone,
}: QuietColumns): NotificationSettings['doNotDisturb'] {
  if (quiet_from === null || quiet_until === null || time_zone === null) return null
  return { from: quiet_from, until: quiet_until, timeZone: time_zone }
}
