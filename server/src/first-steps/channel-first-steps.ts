import type { ChannelFirstSteps, Input } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import { DEFAULT_ROOMS } from '../channels/create-channel.ts'
import { hideChannelChecklist } from '../channels/update-channel.ts'
import { notAMember } from '../operations/access-refusals.ts'
import type { ChannelPlace } from '../operations/authorize.ts'
import type { Tx } from '../operations/transaction.ts'

export async function getChannelFirstSteps(
  tx: Tx,
  _input: Input<typeof api.getChannelFirstSteps>,
  { channelId }: ChannelPlace,
): Promise<ChannelFirstSteps> {
  const { rows } = await sql<ChannelFirstSteps['done'] & { hidden: boolean }>`
    SELECT c.first_steps_hidden AS hidden,
      c.member_count > 1 OR EXISTS (SELECT FROM invitations i WHERE i.channel_id = c.id) AS invite,
      (SELECT count(*) > ${DEFAULT_ROOMS.length} FROM rooms r WHERE r.channel_id = c.id) AS room,
      EXISTS (SELECT FROM rooms r CROSS JOIN LATERAL (
        SELECT FROM messages WHERE room_id = ANY (ARRAY[r.id]) ORDER BY room_id LIMIT 1
      ) m WHERE r.channel_id = c.id) AS hello
    FROM channels c WHERE c.id = ${channelId}::uuid`.execute(tx.db)
  // Deleted since the access was checked.
  if (!rows[0]) throw notAMember(tx.actor)
  const { hidden, ...done } = rows[0]
  return { hidden, done }
}

export async function hideChannelFirstSteps(
  tx: Tx,
  _input: Input<typeof api.hideChannelFirstSteps>,
  { channelId }: ChannelPlace,
): Promise<null> {
  await hideChannelChecklist(tx, channelId)
  return null
}
