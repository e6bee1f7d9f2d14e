import type { Input, Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import type { Tx } from '../operations/transaction.ts'
import { ownChannelIds, ownChannels } from './own-channels.ts'

export async function listChannels(
  tx: Tx,
  input: Input<typeof api.listChannels>,
): Promise<Output<typeof api.listChannels>> {
  const { ids, hasMore } = await ownChannelIds(tx, input)
  return { channels: await ownChannels(tx, ids), hasMore }
}

export async function listOpenChannels(
  tx: Tx,
  { limit = 50, afterId }: Input<typeof api.listOpenChannels>,
): Promise<Output<typeof api.listOpenChannels>> {
  const rows = await tx.db
    .selectFrom('channels')
    .select(['id', 'name', 'description', 'member_count as memberCount'])
    // A literal, as in the index: with a parameter, a generic plan couldn't use it.
    .where(sql<boolean>`open`)
    .$if(afterId !== undefined, (query) =>
      query.where(sql<boolean>`(name, id) > (SELECT name, id FROM channels WHERE id = ${afterId}::uuid)`),
    )
    .orderBy('name')
    .orderBy('id')
    .limit(limit + 1)
    .execute()
  return { channels: rows.slice(0, limit), hasMore: rows.length > limit }
}
