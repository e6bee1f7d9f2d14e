import { memberJoined, memberLeft } from '@portico/contract'
import type { Change } from '../events/emit-event.ts'
import type { Tx } from '../operations/transaction.ts'

const columns = { account_id: 'uuid' }

/** From this position on, the channel's events go to the bot's stream and webhook. */
const INSTALL: Change = {
  columns,
  writes: ['INSERT INTO installations (bot_id, channel_id, from_seq) SELECT account_id, channel_id, seq FROM appended'],
}

/** From this position on, the channel's events go to the person. */
const JOIN: Change = {
  columns,
  writes: [
    `UPDATE members m SET from_seq = seq FROM appended
    WHERE m.account_id = appended.account_id AND m.channel_id = appended.channel_id`,
  ],
}

/** Up to this position, events went to the bot. */
const REMOVE: Change = {
  columns,
  writes: [
    `UPDATE installations i SET to_seq = appended.seq FROM appended
    WHERE i.bot_id = appended.account_id AND i.channel_id = appended.channel_id AND i.to_seq IS NULL`,
  ],
}

export interface Membership {
  readonly channelId: string
  readonly accountId: string
  readonly isBot: boolean
}

export function beginMembership(
  tx: Tx,
  { channelId, accountId, isBot, roleId }: Membership & { readonly roleId: string },
): void {
  const change = isBot ? INSTALL : JOIN
  tx.emit(memberJoined, { channelId }, { userId: accountId, isBot, roleIds: [roleId] }, { change, values: [accountId] })
}

export function endMembership(tx: Tx, { channelId, accountId, isBot }: Membership): void {
  const installation = isBot ? { change: REMOVE, values: [accountId] } : {}
  tx.emit(memberLeft, { channelId }, { userId: accountId, isBot }, installation)
}
