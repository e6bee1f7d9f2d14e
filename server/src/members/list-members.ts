import type { Input, Member, Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import { roleIdsOfMember } from '../roles/roles-of-member.ts'
import type { Tx } from '../transaction.ts'
import type { ChannelPlace } from './access.ts'

/** Sort before and after every id there is. */
const FIRST = '00000000-0000-0000-0000-000000000000'
const LAST = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

interface Row {
  total: number
  online: number
  /** Of the channel, highest first. */
  roles: readonly (Member['roles'][number] & { id: string })[]
  members: readonly [
    id: string,
    name: string,
    channelNickname: string | null,
    online: boolean,
    isBot: boolean,
    avatar: string,
    avatarVersion: number,
    roleIds: readonly string[],
  ][]
}

export async function listMembers(
  tx: Tx,
  { limit = 100, afterId }: Input<typeof api.listMembers>,
  { channelId }: ChannelPlace,
): Promise<Output<typeof api.listMembers>> {
  const { rows } = await memberPage(channelId, tx.parts.presence.online(), { limit, afterId }).execute(tx.db)
  const members = rows.flatMap(shown)
  const hasMore = members.filter((member) => !member.online).length > limit
  const { total = 0, online = 0 } = rows[0] ?? {}
  return { members: hasMore ? members.slice(0, -1) : members, online, total, hasMore }
}

function shown({ roles, members }: Row): Member[] {
  return members.map(([id, name, channelNickname, online, isBot, avatar, avatarVersion, roleIds]) => {
    const own = roles.filter((role) => roleIds.includes(role.id))
    return { id, name, channelNickname, online, isBot, avatar, avatarVersion, roles: own }
  })
}

/**
 * One statement, one look: nobody who stays a member is on no page or on two because another came or went meanwhile.
 * What it costs depends on the page and on who is online, never on the size of the channel or of others. One member
 * more than the limit tells that there is a next page.
 */
export function memberPage(
  channelId: string,
  online: readonly string[],
  { limit, afterId }: { limit: number; afterId?: string | undefined },
) {
  const columns = sql`channel_id, account_id, role_id, nickname`
  // Members are read in the order of channel and account, which one index alone has: asked for those of one channel in
  // the order of accounts, the database may go through everybody's memberships. An account is looked up for each row of
  // the page (its LIMIT says so): a join may decide to read them all.
  return sql<Row>`
    WITH here AS MATERIALIZED (
      SELECT ${columns} FROM members WHERE channel_id = ${channelId}::uuid AND account_id = ANY (${online}::uuid[])
    ), page AS MATERIALIZED (
      SELECT ${columns}, true AS online FROM here WHERE ${afterId === undefined}
      UNION ALL (
        SELECT ${columns}, false FROM members
        WHERE (channel_id, account_id) > (${channelId}::uuid, ${afterId ?? FIRST}::uuid)
          AND (channel_id, account_id) <= (${channelId}::uuid, ${sql.lit(LAST)}::uuid)
          AND account_id NOT IN (SELECT unnest(${online}::uuid[]))
        ORDER BY channel_id, account_id LIMIT ${limit + 1}
      )
    )
    SELECT c.member_count AS total, (SELECT count(*) FROM here)::int AS online,
      (SELECT json_agg(json_build_object('id', id, 'systemName', system_name, 'name', name) ORDER BY rank DESC)
        FROM roles WHERE channel_id = c.id) AS roles,
      (SELECT coalesce(json_agg(json_build_array(
          a.id, a.name, m.nickname, m.online, a.kind = 'bot', a.avatar, a.avatar_version, ${roleIdsOfMember}
        ) ORDER BY m.online DESC, m.account_id), '[]')
        FROM page m CROSS JOIN LATERAL (
          SELECT id, name, kind, avatar, avatar_version FROM accounts WHERE id = m.account_id LIMIT 1
        ) a) AS members
    FROM channels c WHERE c.id = ${channelId}::uuid`
}
