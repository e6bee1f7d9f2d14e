import type { Ban, Input, Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import { removeApplicationsOf } from '../applications/installations.ts'
import { deleteBan, isInForce, recordBan } from '../members/bans.ts'
import { loadMemberBelow } from '../members/load-member.ts'
import { removeMember } from '../members/remove-member.ts'
import type { ChannelPlace } from '../operations/authorize.ts'
import { cannot } from '../operations/refusal.ts'
import type { Tx } from '../operations/transaction.ts'

/** Removes a person and their bots from voice and from the channel, and keeps the person out until the ban ends. */
export async function banMember(
  tx: Tx,
  input: Input<typeof api.banMember>,
  channel: ChannelPlace,
): Promise<Output<typeof api.banMember>> {
  const { channelId } = channel
  const { durationSec, reason, keepBots = [] } = input
  const member = await loadMemberBelow(tx, channel, input.userId)
  if (member.isBot) throw cannot('A bot can’t be banned. Remove it instead.', 'bot_not_banned')
  const bannedUntil = durationSec === undefined ? null : new Date(Date.now() + durationSec * 1000).toISOString()
  await removeMember(tx, channelId, member.id)
  await recordBan(tx, { channelId, accountId: member.id, reason, until: bannedUntil })
  const kept = await removeApplicationsOf(tx, channelId, { ownerId: member.id, keepBots, reason })
  const details = { bannedUntil, ...(kept.length > 0 && { keptBots: kept }) }
  tx.audit({ action: 'member.banned', channelId, target: member, reason, details })
  return { userId: member.id, bannedUntil }
}

export async function liftBan(tx: Tx, input: Input<typeof api.liftBan>, { channelId }: ChannelPlace): Promise<null> {
  const person = await deleteBan(tx, channelId, input.userId)
  if (!person) throw cannot('This person isn’t banned.', 'no_such_ban')
  tx.audit({ action: 'member.unbanned', channelId, target: person, reason: input.reason })
  return null
}

export async function listBans(
  tx: Tx,
  { beforeId, limit = 50 }: Input<typeof api.listBans>,
  { channelId }: ChannelPlace,
): Promise<Output<typeof api.listBans>> {
  const older = beforeId === undefined ? sql`` : sql`AND b.id < ${beforeId}::uuid`
  const { rows } = await sql<Ban>`
    SELECT b.id, b.reason, b.banned_at AS "bannedAt", b.banned_until AS "bannedUntil",
      json_build_object('id', p.id, 'name', p.name, 'avatar', p.avatar, 'avatarVersion', p.avatar_version) AS person,
      CASE WHEN a.id IS NOT NULL THEN json_build_object('id', a.id, 'name', a.name) END AS "bannedBy"
    FROM bans b JOIN accounts p ON p.id = b.account_id LEFT JOIN accounts a ON a.id = b.banned_by
    WHERE b.channel_id = ANY (ARRAY[${channelId}::uuid]) AND ${isInForce} ${older}
    ORDER BY b.channel_id DESC, b.id DESC LIMIT ${limit + 1}::int`.execute(tx.db)
  return { bans: rows.slice(0, limit), hasMore: rows.length > limit }
}
