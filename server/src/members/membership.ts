import { memberJoined, memberLeft } from '@portico/contract'
import type { Change } from '../events/emit-event.ts'
import type { Tx } from '../operations/transaction.ts'

/** From this position on, the channel's events go to the bot's stream and webhook. */
const INSTALL: Change = {
  writes: ['INSERT INTO installations (bot_id, channel_id, from_seq) SELECT $1::uuid, $2::uuid, seq FROM appended'],
}

/** From this position on, the channel's events go to the person. */
const JOIN: Change = {
  writes: ['UPDATE members SET from_seq = seq FROM appended WHERE account_id = $1::uuid AND channel_id = $2::uuid'],
}

/** Up to this position, events went to the bot. */
const REMOVE: Change = {
  writes: [
    `UPDATE installations SET to_seq = appended.seq FROM appended
    WHERE bot_id = $1::uuid AND channel_id = $2::uuid AND to_seq IS NULL`,
  ],
}

export interface Membership {
  readonly channelId: string
  readonly accountId: string
  readonly isBot: boolean
}

export function beginMembership(tx: Tx, { channelId, accountId, isBot }: Membership): void {
  const change = isBot ? INSTALL : JOIN
  tx.emit(memberJoined, { channelId }, { userId: accountId, isBot }, { change, parameters: [accountId, channelId] })
}

export function endMembership(tx: Tx, { channelId, accountId, isBot }: Membership): void {
  const installation = isBot ? { change: REMOVE, parameters: [accountId, channelId] } : {}
  tx.emit(memberLeft, { channelId }, { userId: accountId, isBot }, installation)
}
