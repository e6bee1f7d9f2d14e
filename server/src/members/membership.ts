import { applicationRemoved, memberJoined, memberJoinedChannel, memberLeft, memberLeftChannel } from '@portico/contract'
import { sql } from 'kysely'
import { deleteInBatches, type Sweep } from '../db/delete-in-batches.ts'
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
  /** As the channel shows it. */
  readonly name: string
}

interface Channel {
  readonly id: string
  readonly name: string
}

export function beginMembership(
  tx: Tx,
  { channelId, accountId, isBot, name, roleId }: Membership & { readonly roleId: string },
): void {
  const change = isBot ? INSTALL : JOIN
  emitToBots(tx, memberJoinedChannel, { channelId, accountId, isBot, name })
  tx.emit(memberJoined, { channelId }, { userId: accountId, isBot, roleIds: [roleId] }, { change, values: [accountId] })
}

export function endMembership(
  tx: Tx,
  channel: Channel,
  { accountId, isBot, name }: Omit<Membership, 'channelId'>,
): void {
  const channelId = channel.id
  emitToBots(tx, memberLeftChannel, { channelId, accountId, isBot, name })
  // Before the position up to which the bot gets events.
  if (isBot) emitRemoved(tx, channel, accountId)
  const installation = isBot ? { change: REMOVE, values: [accountId] } : {}
  tx.emit(memberLeft, { channelId }, { userId: accountId, isBot }, installation)
}

/** It is the member's event: a bot that removes someone receives it, and nobody is told about themselves. */
function emitToBots(
  tx: Tx,
  kind: typeof memberJoinedChannel | typeof memberLeftChannel,
  { channelId, accountId, isBot, name }: Membership,
): void {
  tx.emit(kind, { channelId }, { user: { id: accountId, name }, isBot }, { actorId: accountId })
}

function emitRemoved(
  tx: Tx,
  channel: Channel,
  botId: string,
  options: { change?: Change; values?: readonly unknown[] } = {},
): void {
  tx.emit(applicationRemoved, { channelId: channel.id }, { channel }, { actorId: null, onlyFor: botId, ...options })
}

/** Ends the installations in a channel that is deleted: its members are removed later, without events. */
export async function endInstallations(tx: Tx, channel: Channel): Promise<void> {
  const bots = await tx.db
    .selectFrom('members')
    .select('account_id')
    .where('channel_id', '=', channel.id)
    .where('is_bot', '=', true)
    .execute()
  for (const { account_id: botId } of bots) emitRemoved(tx, channel, botId, { change: REMOVE, values: [botId] })
}

/** Those in channels that were deleted, when nothing is left that they let an application recover. */
export async function deleteOldInstallations(sweep: Sweep): Promise<void> {
  await deleteInBatches(
    sweep,
    'installations',
    sql`NOT EXISTS (SELECT FROM channels h WHERE h.id = channel_id)
      AND (to_seq IS NULL OR to_seq < (SELECT min(seq) FROM events))`,
  )
}
