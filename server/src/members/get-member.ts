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
  const { rows } = await sql<MemberRow & Pick<MemberCard, 'bots'>>`
    SELECT ${memberColumns(tx, channel)}, coalesce((
      SELECT json_agg(json_build_object('id', b.id, 'name', b.name) ORDER BY b.name, b.id)
      FROM applications p JOIN members t ON t.channel_id = m.channel_id AND t.account_id = p.bot_id
      JOIN accounts b ON b.id = p.bot_id WHERE p.owner_id = m.account_id), '[]') AS bots
    FROM members m JOIN accounts a ON a.id = m.account_id
    WHERE m.channel_id = ${channel.channelId}::uuid AND m.account_id = ${userId}::uuid`.execute(tx.db)
  if (!rows[0]) throw cannot('There’s no such member in this channel.', 'not_a_member')

  const member = toMemberDetails(rows[0], channel, await presence.onlineIn(channel.channelId))
  const isSelf = member.id === signedIn(tx).id
  const may = (right: Right): boolean => !isSelf && member.rank < channel.rank && channel.rights.has(right)
  return {
    ...member,
    bots: rows[0].bots,
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
