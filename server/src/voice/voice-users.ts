import type { VoiceUser } from '@portico/contract'
import { sql } from 'kysely'
import { roleIdsOfMember } from '../operations/roles-of-member.ts'
import type { Tx } from '../operations/transaction.ts'

/** The members in the voice rooms of a channel, by room, in order of joining. */
export async function voiceUsers(tx: Tx, channelId: string): Promise<Map<string, VoiceUser[]>> {
  const rows = await tx.db
    .selectFrom('voice_sessions as v')
    .innerJoin('accounts as a', 'a.id', 'v.account_id')
    .innerJoin('members as m', (join) =>
      join.onRef('m.channel_id', '=', 'v.channel_id').onRef('m.account_id', '=', 'v.account_id'),
    )
    .select([
      'v.room_id as roomId',
      'a.id',
      'a.name',
      'm.nickname',
      'm.is_bot as isBot',
      'a.avatar',
      'a.avatar_version as avatarVersion',
      'v.live',
      sql<string[]>`${roleIdsOfMember}`.as('roleIds'),
    ])
    .where('v.channel_id', '=', channelId)
    .orderBy('v.joined_at')
    .orderBy('a.id')
    .execute()
  const rooms = new Map<string, VoiceUser[]>()
  const pictured = tx.actor.kind === 'person'
  for (const { roomId, id, name, nickname, avatar, avatarVersion, isBot, live, roleIds } of rows) {
    const user = {
      id,
      name,
      channelNickname: nickname ?? name,
      ...(pictured && { avatar, avatarVersion, roleIds, ...(isBot && { isBot }), ...(live && { live }) }),
    }
    const users = rooms.get(roomId)
    if (users) users.push(user)
    else rooms.set(roomId, [user])
  }
  return rooms
}
