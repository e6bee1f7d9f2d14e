import type { Input } from '@portico/contract'
import type * as api from '@portico/contract'
import { signedIn } from '../accounts/sessions.ts'
import type { ChannelPlace } from '../operations/authorize.ts'
import { removeMember } from '../members/remove-member.ts'
import { cannot } from '../operations/refusal.ts'
import type { Tx } from '../operations/transaction.ts'

export async function leaveChannel(
  tx: Tx,
  _input: Input<typeof api.leaveChannel>,
  { channelId, ownerId }: ChannelPlace,
): Promise<null> {
  const person = signedIn(tx)
  if (person.id === ownerId) {
    throw cannot('The owner can’t leave. Transfer ownership first, or delete the channel.', 'owner_cannot_leave')
  }
  await removeMember(tx, channelId, person.id)
  tx.audit({ action: 'member.left', channelId, target: person })
  return null
}
