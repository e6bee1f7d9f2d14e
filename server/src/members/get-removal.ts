import type { Input, Output, Removal } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import { signedIn } from '../accounts/sessions.ts'
import type { Tx } from '../operations/transaction.ts'
import { isInForce } from './bans.ts'
import { moderatorShown } from './moderator-shown.ts'

/** Shows people only what concerns themselves: for others the channel may not even exist. */
export async function getRemoval(
  tx: Tx,
  { channelId }: Input<typeof api.getRemoval>,
): Promise<Output<typeof api.getRemoval>> {
  const { rows } = await sql<Removal>`
    SELECT coalesce(r.channel_name, c.name) AS "channelName", r.banned, r.at, r.until, r.reason,
      ${moderatorShown(sql.ref('r.by'))} AS by
    FROM (
      SELECT b.channel_id, b.channel_name, true AS banned, b.banned_at AS at, b.banned_until AS until, b.reason,
        b.banned_by AS by
      FROM bans b WHERE b.account_id = ${signedIn(tx).id}::uuid AND b.channel_id = ${channelId}::uuid AND ${isInForce}
      UNION ALL
      SELECT k.channel_id, k.channel_name, false, k.kicked_at, NULL, k.reason, k.kicked_by
      FROM kicks k WHERE k.account_id = ${signedIn(tx).id}::uuid AND k.channel_id = ${channelId}::uuid
    ) r
    JOIN channels c ON c.id = r.channel_id AND c.deleted_at IS NULL
    ORDER BY r.banned DESC LIMIT 1`.execute(tx.db)
  return { removal: rows[0] ?? null }
}
