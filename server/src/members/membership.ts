import { memberJoined, memberLeft } from '@portico/contract'
import { sql } from 'kysely'
import type { Tx } from '../transaction.ts'

/** The position of the event that this transaction wrote last. */
const HERE = sql<number>`currval(pg_get_serial_sequence('events', 'seq'))`

export interface Membership {
  readonly channelId: string
  readonly accountId: string
  readonly isBot: boolean
}

/** Tells that somebody came. From here on, what happens on the channel is for a bot's stream and webhook. */
export function beginMembership(tx: Tx, { channelId, accountId, isBot }: Membership): void {
  tx.emit(memberJoined, { channelId }, { userId: accountId, isBot })
  if (!isBot) return
  tx.along(tx.db.insertInto('installations').values({ bot_id: accountId, channel_id: channelId, from_seq: HERE }))
}

/** Tells that somebody left. Up to here, what happened was for the bot. */
export function endMembership(tx: Tx, { channelId, accountId, isBot }: Membership): void {
  tx.emit(memberLeft, { channelId }, { userId: accountId, isBot })
  if (!isBot) return
  tx.along(
    tx.db
      .updateTable('installations')
      .set({ to_seq: HERE })
      .where('bot_id', '=', accountId)
      .where('channel_id', '=', channelId)
      .where('to_seq', 'is', null),
  )
}
