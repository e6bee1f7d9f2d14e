import type { Input, ListedMember, Member, Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql, type RawBuilder } from 'kysely'
import { roleIdsOfMember } from '../operations/roles-of-member.ts'
import type { Services } from '../operations/services.ts'
import type { Tx } from '../operations/transaction.ts'
import type { ChannelPlace } from '../operations/authorize.ts'
import { nameCursor } from './name-cursor.ts'

/** Sort before and after every id. */
const FIRST = '00000000-0000-0000-0000-000000000000'
const LAST = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

type RoleWithId = Member['roles'][number] & { id: string }

interface Row {
  total: number
  online: number
  /** All roles of the channel, highest first. */
  roles: readonly RoleWithId[]
  members: readonly [
    id: string,
    name: string,
    channelNickname: string | null,
    online: boolean,
    isBot: boolean,
    avatar: string,
    avatarVersion: number,
    sortName: string,
    roleIds: readonly string[],
  ][]
}

export async function listMembers(
  tx: Tx,
  input: Input<typeof api.listMembers>,
  channel: ChannelPlace,
  { presence }: Pick<Services, 'presence'>,
): Promise<Output<typeof api.listMembers>> {
  return readMemberPage(tx, channel.channelId, await presence.onlineIn(channel.channelId), { ...input, order: 'id' })
}

export async function listMembersByName(
  tx: Tx,
  input: Input<typeof api.listMembersByName>,
  channel: ChannelPlace,
  { presence }: Pick<Services, 'presence'>,
): Promise<Output<typeof api.listMembersByName>> {
  return readMemberPage(tx, channel.channelId, await presence.onlineIn(channel.channelId), { ...input, order: 'name' })
}

export async function readMemberPage(
  tx: Tx,
  channelId: string,
  onlineIds: ReadonlySet<string>,
  { limit = 100, ...wanted }: Omit<Wanted, 'limit'> & { readonly limit?: number | undefined },
) {
  const { rows } = await memberPage(channelId, [...onlineIds], { limit, ...wanted }).execute(tx.db)
  const members = rows.flatMap(listed)
  const hasMore = members.filter((member) => !member.online).length > limit
  const { total = 0, online = 0, roles = [] } = rows[0] ?? {}
  return { members: hasMore ? members.slice(0, -1) : members, online, total, hasMore, roles: [...roles] }
}

function listed({ roles, members }: Row): (ListedMember & { roles: RoleWithId[] })[] {
  return members.map(([id, name, channelNickname, online, isBot, avatar, avatarVersion, sortName, roleIds]) => {
    const own = roles.filter((role) => roleIds.includes(role.id))
    return { id, name, channelNickname, online, isBot, avatar, avatarVersion, sortName, roles: own }
  })
}

type Order = 'id' | 'name'

interface Wanted {
  readonly order: Order
  readonly limit: number
  readonly afterId?: string | undefined
  /** Only these members, instead of all. */
  readonly among?: Among | undefined
}

/** Some members of a channel: by their ids while they are few, and otherwise by a condition on the member `m`. */
export interface Among {
  readonly ids?: readonly string[] | undefined
  readonly condition: RawBuilder<unknown>
  readonly total: number
}

/**
 * One statement, one snapshot: no member who stays is skipped or repeated because others came or went. The cost depends
 * on the page and on who is online, never on the size of this or other channels. One member more than the limit shows
 * that there is a next page.
 */
export function memberPage(channelId: string, online: readonly string[], { order, limit, afterId, among }: Wanted) {
  const columns = sql`channel_id, account_id, role_id, nickname, sort_name`
  // Ordered by (channel, account) or (channel, name), which only one index has: otherwise the database may scan all
  // memberships, or sort all members. The account is looked up for each row of the page (hence its LIMIT): a join might
  // read all accounts.
  const [place, further] =
    order === 'id'
      ? [
          sql`account_id`,
          sql`(channel_id, account_id) > (${channelId}::uuid, ${afterId ?? FIRST}::uuid)
          AND (channel_id, account_id) <= (${channelId}::uuid, ${sql.lit(LAST)}::uuid)`,
        ]
      : [
          sql`sort_name, account_id`,
          sql`(channel_id, sort_name, account_id)
            > (${channelId}::uuid, ${nameCursor(channelId, afterId)}, ${afterId ?? FIRST}::uuid)`,
        ]
  // Few members are read by their ids before they are sorted: in the order of names, all members might be read to find them.
  const few = among?.ids
    ? sql`chosen AS MATERIALIZED (
        SELECT ${columns} FROM members WHERE channel_id = ${channelId}::uuid AND account_id = ANY (${among.ids}::uuid[])
      ),`
    : sql``
  const source = among?.ids ? sql`chosen` : sql`members`
  const condition = among && !among.ids ? sql`AND ${among.condition}` : sql``
  return sql<Row>`
    WITH ${few} here AS MATERIALIZED (
      SELECT ${columns} FROM ${source} m WHERE channel_id = ${channelId}::uuid AND account_id = ANY (${online}::uuid[]) ${condition}
    ), page AS MATERIALIZED (
      SELECT ${columns}, true AS online FROM here WHERE ${afterId === undefined}
      UNION ALL
      SELECT ${columns}, false FROM (
        SELECT ${columns} FROM ${source} m
        WHERE ${further} AND account_id NOT IN (SELECT unnest(${online}::uuid[])) ${condition}
        ORDER BY channel_id, ${place} LIMIT ${limit + 1}
      ) away WHERE channel_id = ${channelId}::uuid
    )
    SELECT ${among ? sql`${among.total}::int` : sql`c.member_count`} AS total, (SELECT count(*) FROM here)::int AS online,
      (SELECT json_agg(
          json_strip_nulls(json_build_object('id', id, 'systemName', system_name, 'name', name, 'color', color)) ORDER BY rank DESC)
        FROM roles WHERE channel_id = c.id) AS roles,
      (SELECT coalesce(json_agg(json_build_array(
          a.id, a.name, m.nickname, m.online, a.kind = 'bot', a.avatar, a.avatar_version, m.sort_name, ${roleIdsOfMember}
        ) ORDER BY m.online DESC, ${place}), '[]')
        FROM page m CROSS JOIN LATERAL (
          SELECT id, name, kind, avatar, avatar_version FROM accounts WHERE id = m.account_id LIMIT 1
        ) a) AS members
    FROM channels c WHERE c.id = ${channelId}::uuid`
}
