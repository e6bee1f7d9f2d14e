import { applicationInstalled, applicationRemoved } from '@portico/contract'
import { sql } from 'kysely'
import type { Tx } from '../transaction.ts'

/** The position of the event that this transaction wrote last. */
const HERE = sql<number>`currval(pg_get_serial_sequence('events', 'seq'))`

/** From here on, what happens on the channel is for this bot. */
export function beginInstallation(tx: Tx, channelId: string, botId: string): void {
  tx.emit(applicationInstalled, { channelId }, { botId })
  tx.along(tx.db.insertInto('installations').values({ bot_id: botId, channel_id: channelId, from_seq: HERE }))
}

/** Up to here it was. */
export function endInstallation(tx: Tx, channelId: string, botId: string): void {
  tx.emit(applicationRemoved, { channelId }, { botId })
  tx.along(
    tx.db
      .updateTable('installations')
      .set({ to_seq: HERE })
      .where('bot_id', '=', botId)
      .where('channel_id', '=', channelId)
      .where('to_seq', 'is', null),
  )
}
