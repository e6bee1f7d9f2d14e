import type { Input, Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import { roleIdsOfMember } from '../roles/roles-of-member.ts'
import type { Tx } from '../transaction.ts'
import type { ChannelPlace } from './access.ts'
import { foundMember, memberColumns, type MemberRow } from './found-member.ts'
import { nameBehind } from './name-behind.ts'

interface Row extends MemberRow {
  found: number
}

export async function findMembers(
  tx: Tx,
  { text = '', roleId, limit = 50, afterId }: Input<typeof api.findMembers>,
  channel: ChannelPlace,
): Promise<Output<typeof api.findMembers>> {
  const { channelId } = channel
  const part = `%${text.trim().replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
  const named = text.trim() === '' ? sql`` : sql`AND (a.name ILIKE ${part} OR m.nickname ILIKE ${part})`
  const ofRole = roleId === undefined ? sql`` : sql`AND ${roleId}::uuid = ANY (${roleIdsOfMember})`
  const further =
    afterId === undefined
      ? sql``
      : sql`WHERE (f.sort_name, f.id) > (${nameBehind(channelId, afterId)}, ${afterId}::uuid)`

  const { rows } = await sql<Row>`
    WITH found AS (
      SELECT a.id, m.sort_name FROM members m JOIN accounts a ON a.id = m.account_id
      WHERE m.channel_id = ${channelId}::uuid ${named} ${ofRole}
    ), page AS (
      SELECT f.id, f.sort_name FROM found f ${further} ORDER BY f.sort_name, f.id LIMIT ${limit + 1}
    )
    SELECT ${memberColumns(tx, channel)}, (SELECT count(*) FROM found)::int AS found
    FROM page p
    JOIN accounts a ON a.id = p.id
    JOIN members m ON m.account_id = a.id AND m.channel_id = ${channelId}::uuid
    ORDER BY p.sort_name, p.id`.execute(tx.db)

  const members = rows.slice(0, limit).map((row) => foundMember(tx, channel, row))
  return { members, found: rows[0]?.found ?? 0, hasMore: rows.length > limit }
}
