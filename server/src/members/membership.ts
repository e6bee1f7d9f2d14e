import { memberJoined, memberLeft } from '@portico/contract'
import type { Change } from '../events/emit-event.ts'
import type { Tx } from '../transaction.ts'

/** From its position on, what happens on the channel is for a bot's stream and webhook. */
const INSTALL: Change = {
  writes: ['INSERT INTO installations (bot_id, channel_id, from_seq) SELECT $1::uuid, $2::uuid, seq FROM appended'],
}

/** Up to its position, what happened was for the bot. */
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
  const installation = isBot ? { change: INSTALL, parameters: [accountId, channelId] } : {}
  tx.emit(memberJoined, { channelId }, { userId: accountId, isBot }, installation)
}

export function endMembership(tx: Tx, { channelId, accountId, isBot }: Membership): void {
  const installation = isBot ? { change: REMOVE, parameters: [accountId, channelId] } : {}
  tx.emit(memberLeft, { channelId }, { userId: accountId, isBot }, installation)
}
