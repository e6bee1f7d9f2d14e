import type { Input, MemberCard, Right } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import { signedIn } from '../accounts/sessions.ts'
import { cannot } from '../operations/refusal.ts'
import type { Services } from '../operations/services.ts'
import type { Tx } from '../operations/transaction.ts'
import type { ChannelPlace } from '../operations/authorize.ts'
import { toMemberDetails, memberColumns, type MemberRow } from './to-member-details.ts'

export async function getMember(
  tx: Tx,
  { userId }: Input<typeof api.getMember>,
  channel: ChannelPlace,
  { presence }: Pick<Services, 'presence'>,
): Promise<MemberCard> {
  const { rows } = await sql<MemberRow>`
    SELECT ${memberColumns(tx, channel)} FROM members m JOIN accounts a ON a.id = m.account_id
    WHERE m.channel_id = ${channel.channelId}::uuid AND m.account_id = ${userId}::uuid`.execute(tx.db)
  if (!rows[0]) throw cannot('There’s no such member in this channel.', 'not_a_member')

  const member = toMemberDetails(rows[0], channel, await presence.onlineIn(channel.channelId))
  const isSelf = member.id === signedIn(tx).id
  const may = (right: Right): boolean => !isSelf && member.rank < channel.rank && channel.rights.has(right)
  return {
    ...member,
    may: {
      setNickname: isSelf || may('manage_roles'),
      setRoles: may('manage_roles'),
      muteChat: may('mute_chat_member'),
      muteVoice: may('mute_voice_member'),
      move: may('move_voice_member'),
      kick: may('kick_member'),
    },
  }
}
