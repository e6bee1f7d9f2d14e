import { LIMITS, type Input, type ManagedApplication, type ManagedChannel, type Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import type { Tx } from '../operations/transaction.ts'
import { pageOf, type List } from './page-of.ts'

const ownerOf = sql`(SELECT json_build_object('id', o.id, 'name', o.name) FROM accounts o WHERE o.id = t.owner_id)`

export const CHANNELS: List<ManagedChannel> = {
  table: 'channels',
  columns: sql`t.id, t.name, t.image, t.avatar_version AS "avatarVersion", t.open, t.member_count AS "memberCount",
    ${ownerOf} AS owner,
    (SELECT count(*) FROM rooms r WHERE r.channel_id = t.id)::int AS rooms, t.created_at AS "createdAt"`,
  // Not by a column of the row: it is in no index with the name.
  where: sql`t.id <> ALL (ARRAY(SELECT d.id FROM channels d WHERE d.deleted_at IS NOT NULL))`,
}

const APPLICATIONS: List<ManagedApplication> = {
  table: 'applications',
  columns: sql`t.id, t.bot_id AS "botId", t.name,
    (SELECT b.avatar FROM accounts b WHERE b.id = t.bot_id) AS avatar,
    (SELECT b.avatar_version FROM accounts b WHERE b.id = t.bot_id) AS "avatarVersion",
    ${ownerOf} AS owner,
    (SELECT count(*) FROM members m WHERE m.account_id = t.bot_id)::int AS installations,
    (SELECT k.last_used_at FROM application_keys k WHERE k.application_id = t.id) AS "keyLastUsedAt",
    json_build_object('requests', coalesce(t.request_limit, ${LIMITS.requestQuota}::int),
      'writes', coalesce(t.write_limit, ${LIMITS.writeQuota}::int)) AS limits,
    num_nonnulls(t.request_limit, t.write_limit) > 0 AS "limitsSet", t.created_at AS "createdAt"`,
}

export async function listAllChannels(
  tx: Tx,
  input: Input<typeof api.listAllChannels>,
): Promise<Output<typeof api.listAllChannels>> {
  const { rows, hasMore } = await pageOf(tx, input, CHANNELS)
  return { channels: rows, hasMore }
}

export async function listAllApplications(
  tx: Tx,
  input: Input<typeof api.listAllApplications>,
): Promise<Output<typeof api.listAllApplications>> {
  const { rows, hasMore } = await pageOf(tx, input, APPLICATIONS)
  return { applications: rows, hasMore }
}
