import { LIMITS, type Input, type Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql, type RawBuilder } from 'kysely'
import type { Services } from '../operations/services.ts'
import type { Tx } from '../operations/transaction.ts'
import type { ChannelPlace } from '../operations/authorize.ts'
import { toMemberDetails, memberColumns, type MemberRow } from './to-member-details.ts'
import { nameCursor } from './name-cursor.ts'

/** Sorts before every id. */
const FIRST = '00000000-0000-0000-0000-000000000000'

interface Row extends MemberRow {
  found: number
}

export async function findMembers(
  tx: Tx,
  { text = '', roleId, limit = 50, afterId }: Input<typeof api.findMembers>,
  channel: ChannelPlace,
  { presence }: Pick<Services, 'presence'>,
): Promise<Output<typeof api.findMembers>> {
  const wanted = { channelId: channel.channelId, text: text.trim(), roleId, afterId, limit: limit + 1 }
  const { rows } = await matchingMembers(wanted, memberColumns(tx, channel)).execute(tx.db)
  const online = await presence.onlineIn(channel.channelId)
  return {
    members: rows.slice(0, limit).map((row) => toMemberDetails(row, channel, online)),
    found: rows[0]?.found ?? 0,
    hasMore: rows.length > limit,
  }
}

interface Wanted {
  readonly channelId: string
  readonly text: string
  readonly roleId?: string | undefined
  readonly afterId?: string | undefined
  readonly limit: number
}

/** Restricts the members `m` of a statement to those whose nickname or name contains a text. */
export function nameContains(text: string): RawBuilder<unknown> {
  if (text === '') return sql``
  // In a subquery of its own, or it would be evaluated for every name.
  const part = sql`(SELECT sort_name(${text}))`
  return sql`AND (strpos(m.sort_name, ${part}) > 0 OR strpos(m.hidden_name, ${part}) > 0)`
}

/**
 * Names are compared within the index of a channel's members by name, so that the table is read only for the page.
 * Counting stops at a limit, and the number of all members is stored.
 */
function matchingMembers({ channelId, text, roleId, afterId, limit }: Wanted, columns: RawBuilder<unknown>) {
  const named = nameContains(text)
  const ofRole =
    roleId === undefined
      ? sql``
      : sql`AND (m.role_id = ${roleId}::uuid OR m.account_id IN (
          SELECT account_id FROM member_roles WHERE role_id = ${roleId}::uuid AND channel_id = ${channelId}::uuid))`
  const all = text === '' && roleId === undefined
  const found = all
    ? sql`SELECT member_count FROM channels WHERE id = ${channelId}::uuid`
    : sql`SELECT count(*)::int FROM (
        SELECT FROM members m WHERE m.channel_id = ${channelId}::uuid ${named} ${ofRole} LIMIT ${LIMITS.membersCounted + 1}
      ) counted`
  return sql<Row>`
    WITH page AS MATERIALIZED (
      SELECT m.account_id, m.sort_name FROM members m
      WHERE m.channel_id = ${channelId}::uuid
        AND (m.sort_name, m.account_id) > (${nameCursor(channelId, afterId)}, ${afterId ?? FIRST}::uuid)
        ${named} ${ofRole}
      ORDER BY m.channel_id, m.sort_name, m.account_id LIMIT ${limit}
    )
    SELECT ${columns}, (${found}) AS found
    FROM page p
    CROSS JOIN LATERAL (
      SELECT * FROM members WHERE channel_id = ${channelId}::uuid AND account_id = p.account_id LIMIT 1
    ) m
    CROSS JOIN LATERAL (SELECT * FROM accounts WHERE id = p.account_id LIMIT 1) a
    ORDER BY p.sort_name, p.account_id`
}
