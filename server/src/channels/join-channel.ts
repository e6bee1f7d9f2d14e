import type { Input, OwnChannel } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import { signedIn } from '../accounts/sessions.ts'
import { addMember } from '../members/add-member.ts'
import { Refusal, cannot } from '../operations/refusal.ts'
import type { Tx } from '../operations/transaction.ts'
import { lockChannel } from '../operations/lock-channel.ts'
import { ownChannel } from './own-channels.ts'

export async function joinChannel(tx: Tx, { channelId }: Input<typeof api.joinChannel>): Promise<OwnChannel> {
  const person = signedIn(tx)
  await lockChannel(tx, channelId)
  const channel = await tx.db
    .selectFrom('channels as c')
    .select(['c.id', 'c.open'])
    .select([
      sql<boolean>`EXISTS (SELECT FROM members WHERE channel_id = c.id AND account_id = ${person.id}::uuid)`.as(
        'joined',
      ),
      sql<boolean>`EXISTS (SELECT FROM kicks WHERE channel_id = c.id AND account_id = ${person.id}::uuid)`.as('kicked'),
    ])
    .where('c.id', '=', channelId)
    .where('c.deleted_at', 'is', null)
    .executeTakeFirst()

  if (channel?.joined) return ownChannel(tx, channel.id)
  // The same answer for a closed channel and a missing one: only members may know that it exists.
  if (!channel?.open) throw cannot('There’s no open channel with this id.', 'not_an_open_channel')
  if (channel.kicked) {
    throw new Refusal('forbidden', {
      message: 'You were removed from this channel. You need an invitation to come back.',
      reason: 'kicked',
    })
  }

  await addMember(tx, { channelId: channel.id, accountId: person.id, role: 'CHANNEL_MEMBER' })
  tx.audit({ action: 'member.joined', channelId: channel.id, target: person })
  return ownChannel(tx, channel.id)
}
