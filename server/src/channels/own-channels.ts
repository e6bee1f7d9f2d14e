import type { OwnChannel } from '@portico/contract'
import { sql } from 'kysely'
import { signedIn } from '../accounts/sessions.ts'
import { topRole } from '../roles/top-role.ts'
import type { Tx } from '../transaction.ts'

/** The channels that the asker is a member of, in the order of joining, or only the one that is named. */
export async function ownChannels(tx: Tx, channelId?: string): Promise<OwnChannel[]> {
  const one = channelId === undefined ? sql`` : sql`AND m.channel_id = ${channelId}::uuid`
  const { rows } = await sql<OwnChannel>`
    SELECT c.id, c.name, c.description, c.image, c.avatar_version AS "avatarVersion", c.open,
      c.member_count AS "memberCount", ${topRole} AS role
    FROM members m JOIN channels c ON c.id = m.channel_id
    WHERE m.account_id = ${signedIn(tx).id}::uuid ${one}
    ORDER BY m.joined_at, c.id`.execute(tx.db)
  return rows
}

export async function ownChannel(tx: Tx, channelId: string): Promise<OwnChannel> {
  const [channel] = await ownChannels(tx, channelId)
  if (!channel) throw new Error('the asker is no member of the channel that they were let into')
  return channel
}
