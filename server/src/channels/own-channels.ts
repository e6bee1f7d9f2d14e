import { LIMITS, type OwnChannel } from '@portico/contract'
import { sql } from 'kysely'
import { signedIn } from '../accounts/sessions.ts'
import { cannot } from '../operations/refusal.ts'
import { topRole } from '../roles/top-role.ts'
import type { Tx } from '../operations/transaction.ts'

interface Page {
  readonly limit?: number | undefined
  readonly afterId?: string | undefined
}

/** SQL for the place of a channel in the own order of its member `m`: what they haven't sorted comes last. */
const position = sql<number>`coalesce(
  (SELECT p.position FROM channel_positions p WHERE p.channel_id = m.channel_id AND p.account_id = m.account_id),
  2147483647)`

/** The ids of the caller's channels, in their own order. */
export async function ownChannelIds(
  tx: Tx,
  { limit = LIMITS.channelsPage, afterId }: Page,
): Promise<{ ids: string[]; hasMore: boolean }> {
  const accountId = signedIn(tx).id
  if (afterId !== undefined) await requireMembership(tx, afterId)
  const further =
    afterId === undefined
      ? sql``
      : sql`AND (${position}, joined_at, channel_id) > (
          SELECT ${position}, joined_at, channel_id FROM members m
          WHERE account_id = ${accountId}::uuid AND channel_id = ${afterId}::uuid)`
  const { rows } = await sql<{ id: string }>`
    SELECT channel_id AS id FROM members m WHERE account_id = ${accountId}::uuid ${further}
      AND EXISTS (SELECT FROM channels c WHERE c.id = m.channel_id AND c.deleted_at IS NULL)
    ORDER BY ${position}, joined_at, channel_id LIMIT ${limit + 1}`.execute(tx.db)
  return { ids: rows.slice(0, limit).map(({ id }) => id), hasMore: rows.length > limit }
}

/** Those of these channels that the caller is a member of, in the caller's own order. */
export async function ownChannels(tx: Tx, channelIds: readonly string[]): Promise<OwnChannel[]> {
  const { rows } = await sql<OwnChannel>`
    SELECT c.id, c.name, c.description, c.image, c.avatar_version AS "avatarVersion", c.open,
      c.show_moderators AS "showModerators", c.member_count AS "memberCount", ${topRole} AS role
    FROM members m JOIN channels c ON c.id = m.channel_id AND c.deleted_at IS NULL
    WHERE m.account_id = ${signedIn(tx).id}::uuid AND m.channel_id = ANY (${channelIds}::uuid[])
    ORDER BY ${position}, m.joined_at, c.id`.execute(tx.db)
  return rows
}

export async function ownChannel(tx: Tx, channelId: string): Promise<OwnChannel> {
  const [channel] = await ownChannels(tx, [channelId])
  if (!channel) throw new Error('the actor is not a member of the channel that they joined')
  return channel
}

/** A caller who has left the channel that a page ended with must start over: its position is unknown. */
async function requireMembership(tx: Tx, channelId: string): Promise<void> {
  const found = await tx.db
    .selectFrom('members')
    .select('joined_at')
    .where('channel_id', '=', channelId)
    .where('account_id', '=', signedIn(tx).id)
    .executeTakeFirst()
  if (!found) throw cannot('You’re not in the channel that the previous page ended with.', 'not_a_member')
}
