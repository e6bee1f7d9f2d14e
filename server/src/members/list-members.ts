import type { Input, Member, Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import { roleIdsOfMember } from '../roles/roles-of-member.ts'
import type { Tx } from '../transaction.ts'
import type { ChannelPlace } from './access.ts'

/** Sorts before every id there is. */
const FIRST = '00000000-0000-0000-0000-000000000000'

type Row = Omit<Member, 'online'> & { isOnline: boolean }
type Counted = { total: number; online: number } & (Row | { [K in keyof Row]: null })

export async function listMembers(
  tx: Tx,
  { limit = 100, afterId }: Input<typeof api.listMembers>,
  { channelId }: ChannelPlace,
): Promise<Output<typeof api.listMembers>> {
  const { rows } = await memberPage(channelId, tx.parts.presence.online(), { limit, afterId }).execute(tx.db)
  const members = rows.flatMap((row) => (row.id === null ? [] : [shown(row)]))
  const hasMore = members.filter((member) => !member.online).length > limit
  const { total = 0, online = 0 } = rows[0] ?? {}
  return { members: hasMore ? members.slice(0, -1) : members, online, total, hasMore }
}

/**
 * One statement, one look: nobody who stays a member is on no page or on two because another came or went meanwhile.
 * What it costs depends on the page and on who is online, never on the size of the channel. One row more than the
 * limit tells that there is a next page.
 */
export function memberPage(
  channelId: string,
  online: readonly string[],
  { limit, afterId }: { limit: number; afterId?: string | undefined },
) {
  const columns = sql`channel_id, account_id, role_id, nickname`
  // An account is looked up for each row of the page (the LIMIT says so): a join may decide to read them all.
  return sql<Counted>`
    WITH here AS MATERIALIZED (
      SELECT ${columns} FROM members WHERE channel_id = ${channelId}::uuid AND account_id = ANY (${online}::uuid[])
    ), page AS MATERIALIZED (
      SELECT ${columns}, true AS online FROM here WHERE ${afterId === undefined}
      UNION ALL (
        SELECT ${columns}, false FROM members
        WHERE channel_id = ${channelId}::uuid AND account_id > ${afterId ?? FIRST}::uuid
          AND account_id NOT IN (SELECT unnest(${online}::uuid[]))
        ORDER BY account_id LIMIT ${limit + 1}
      )
    )
    SELECT c.member_count AS total, (SELECT count(*) FROM here)::int AS online,
      a.id, a.name, m.nickname AS "channelNickname", m.online AS "isOnline", a.kind = 'bot' AS "isBot",
      a.avatar, a.avatar_version AS "avatarVersion", r.roles
    FROM channels c
    LEFT JOIN page m ON true
    LEFT JOIN LATERAL (
      SELECT id, name, kind, avatar, avatar_version FROM accounts WHERE id = m.account_id LIMIT 1
    ) a ON true
    LEFT JOIN LATERAL (
      SELECT json_agg(json_build_object('systemName', system_name, 'name', name) ORDER BY rank DESC) AS roles
      FROM roles WHERE id = ANY (${roleIdsOfMember})
    ) r ON true
    WHERE c.id = ${channelId}::uuid
    ORDER BY m.online DESC, m.account_id`
}

function shown({ isOnline, id, name, channelNickname, isBot, avatar, avatarVersion, roles }: Row): Member {
  return { id, name, channelNickname, online: isOnline, isBot, avatar, avatarVersion, roles }
}
