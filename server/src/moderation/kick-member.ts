import type { Input } from '@portico/contract'
import type * as api from '@portico/contract'
import type { ChannelPlace } from '../operations/authorize.ts'
import { recordKick } from '../members/kicks.ts'
import { loadMemberBelow } from '../members/load-member.ts'
import { removeMember } from '../members/remove-member.ts'
import type { Tx } from '../operations/transaction.ts'

/** Removes a member from voice and from the channel; they need an invitation to come back. */
export async function kickMember(tx: Tx, input: Input<typeof api.kickMember>, channel: ChannelPlace): Promise<null> {
  const { channelId } = channel
  const member = await loadMemberBelow(tx, channel, input.userId)
  await removeMember(tx, channelId, member.id)
  if (!member.isBot) await recordKick(tx, { channelId, accountId: member.id, reason: input.reason })
  tx.audit({ action: 'member.kicked', channelId, target: member, reason: input.reason })
  return null
}
