import { memberChanged, type Input, type Member } from '@portico/contract'
import type * as api from '@portico/contract'
import { signedIn } from '../accounts/sessions.ts'
import { changesOf } from '../operations/changes-of.ts'
import { optionalText } from '../operations/optional-text.ts'
import type { Services } from '../operations/services.ts'
import type { Tx } from '../operations/transaction.ts'
import { missingRight } from '../operations/access-refusals.ts'
import type { ChannelPlace } from '../operations/authorize.ts'
import { loadMember, loadMemberBelow } from './load-member.ts'
import { refuseAlikeInChannel } from './names-in-channel.ts'
import { toMember } from './to-member.ts'
import { toSpeaker } from './to-speaker.ts'

export async function setNickname(
  tx: Tx,
  input: Input<typeof api.setNickname>,
  channel: ChannelPlace,
  { presence }: Pick<Services, 'presence'>,
): Promise<Member> {
  const { channelId } = channel
  const member = await nameableMember(tx, input.userId.toLowerCase(), channel)
  const nickname = optionalText(input.nickname) ?? null
  const changes = changesOf(member, { nickname })
  if (Object.keys(changes).length > 0) {
    if (nickname !== null) await refuseAlikeInChannel(tx, { accountId: member.id, name: nickname, channelId })
    await tx.db
      .updateTable('members')
      .set({ nickname })
      .where('channel_id', '=', channelId)
      .where('account_id', '=', member.id)
      .execute()
    tx.audit({ action: 'member.nickname_changed', channelId, target: member, details: changes })
    tx.emit(memberChanged, { channelId }, { member: toSpeaker({ ...member, nickname }) })
  }
  return toMember({ ...member, nickname }, await presence.onlineIn(channelId))
}

async function nameableMember(tx: Tx, userId: string, channel: ChannelPlace) {
  if (userId === signedIn(tx).id) return loadMember(tx, channel.channelId, userId)
  if (!channel.rights.has('manage_roles')) throw missingRight('manage_roles')
  return loadMemberBelow(tx, channel, userId)
}
