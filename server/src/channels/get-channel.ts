import type { Channel, Input } from '@portico/contract'
import type * as api from '@portico/contract'
import type { ChannelPlace } from '../operations/authorize.ts'
import type { Tx } from '../operations/transaction.ts'

export async function getChannel(
  tx: Tx,
  _input: Input<typeof api.getChannel>,
  { channelId }: ChannelPlace,
): Promise<Channel> {
  return tx.db
    .selectFrom('channels')
    .select(['id', 'name', 'description'])
    .where('id', '=', channelId)
    .executeTakeFirstOrThrow()
}
