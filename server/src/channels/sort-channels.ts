import { channelsSorted, type Input } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import { lockAccount } from '../accounts/lock-account.ts'
import { signedIn } from '../accounts/sessions.ts'
import { publishToPerson } from '../events/ephemeral.ts'
import { uniqueIds } from '../operations/ids.ts'
import type { Tx } from '../operations/transaction.ts'

export async function sortChannels(tx: Tx, input: Input<typeof api.sortChannels>): Promise<null> {
  const { id } = signedIn(tx)
  const ids = uniqueIds('channelIds', input.channelIds)
  // Two devices may sort at the same time: the last one wins.
  await lockAccount(tx, id, 'alone')
  await tx.db.deleteFrom('channel_positions').where('account_id', '=', id).execute()
  const { rows } = await sql<{ channelId: string }>`
    INSERT INTO channel_positions (account_id, channel_id, position)
    SELECT m.account_id, m.channel_id, given.position
    FROM unnest(${ids}::uuid[]) WITH ORDINALITY AS given (channel_id, position)
    JOIN members m ON m.channel_id = given.channel_id AND m.account_id = ${id}::uuid
    RETURNING channel_id AS "channelId"`.execute(tx.db)
  const own = new Set(rows.map(({ channelId }) => channelId))
  const channelIds = ids.filter((channelId) => own.has(channelId))
  tx.afterCommit(({ bus }) => publishToPerson(bus, id, channelsSorted, null, { channelIds }))
  return null
}
