import type { MemberDetails } from '@portico/contract'
import { sql } from 'kysely'
import { roleFacts, roleIdsOfMember } from '../operations/roles-of-member.ts'
import { isSeenBy } from '../operations/is-seen-by.ts'
import type { Tx } from '../operations/transaction.ts'
import type { ChannelPlace, RoleFacts } from '../operations/authorize.ts'
import { toMember } from './to-member.ts'

export interface MemberRow {
  id: string
  name: string
  nickname: string | null
  isBot: boolean
  avatar: string
  avatarVersion: number
  joinedAt: string
  roles: RoleFacts[]
  voiceRoomId: string | null
  chatMuted: boolean
  chatMutedUntil: string | null
  voiceMuted: boolean
  voiceMutedUntil: string | null
}

/** The columns of member `m` with account `a` that members of the same channel may see. */
export function memberColumns(tx: Tx, channel: ChannelPlace) {
  return sql`a.id, a.name, m.nickname, a.kind = 'bot' AS "isBot", a.avatar, a.avatar_version AS "avatarVersion",
    m.joined_at AS "joinedAt", (SELECT ${roleFacts} FROM roles WHERE id = ANY (${roleIdsOfMember})) AS roles,
    (SELECT o.id FROM voice_sessions v JOIN rooms o ON o.id = v.room_id
      WHERE v.channel_id = m.channel_id AND v.account_id = m.account_id AND ${isSeenBy(tx.actor, channel)}) AS "voiceRoomId",
    m.chat_muted AND (m.chat_muted_until IS NULL OR m.chat_muted_until > now()) AS "chatMuted",
    m.chat_muted_until AS "chatMutedUntil",
    m.voice_muted AND (m.voice_muted_until IS NULL OR m.voice_muted_until > now()) AS "voiceMuted",
    m.voice_muted_until AS "voiceMutedUntil"`
}

export function toMemberDetails(
  row: MemberRow,
  { ownerId, rights }: ChannelPlace,
  online: ReadonlySet<string>,
): MemberDetails {
  return {
    ...toMember(row, online),
    roleIds: row.roles.map(({ id }) => id),
    rank: row.roles[0]?.rank ?? 0,
    isOwner: row.id === ownerId,
    joinedAt: row.joinedAt,
    voiceRoomId: row.voiceRoomId,
    ...(rights.has('mute_chat_member') && { chatMute: row.chatMuted ? { until: row.chatMutedUntil } : null }),
    ...(rights.has('mute_voice_member') && { voiceMute: row.voiceMuted ? { until: row.voiceMutedUntil } : null }),
  }
}
