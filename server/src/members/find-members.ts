import type { FoundMember, Input, Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import { isSeenBy } from '../rooms/room.ts'
import { roleFacts, roleIdsOfMember } from '../roles/roles-of-member.ts'
import type { Tx } from '../transaction.ts'
import type { ChannelPlace, RoleFacts } from './access.ts'
import { shownMember } from './shown-member.ts'

interface Row {
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
  found: number
}

/** The name that members are listed under, and its order: without regard to case. */
const shownName = sql`lower(coalesce(m.nickname, a.name))`

export async function findMembers(
  tx: Tx,
  { text = '', roleId, limit = 50, afterId }: Input<typeof api.findMembers>,
  channel: ChannelPlace,
): Promise<Output<typeof api.findMembers>> {
  const { channelId } = channel
  const part = `%${text.trim().replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
  const named = text.trim() === '' ? sql`` : sql`AND (a.name ILIKE ${part} OR m.nickname ILIKE ${part})`
  const ofRole = roleId === undefined ? sql`` : sql`AND ${roleId}::uuid = ANY (${roleIdsOfMember})`
  const further =
    afterId === undefined
      ? sql``
      : sql`WHERE (f.shown, f.id) > (
          SELECT ${shownName}, a.id FROM members m JOIN accounts a ON a.id = m.account_id
          WHERE m.channel_id = ${channelId}::uuid AND m.account_id = ${afterId}::uuid)`

  const { rows } = await sql<Row>`
    WITH found AS (
      SELECT a.id, ${shownName} AS shown FROM members m JOIN accounts a ON a.id = m.account_id
      WHERE m.channel_id = ${channelId}::uuid ${named} ${ofRole}
    ), page AS (
      SELECT f.id, f.shown FROM found f ${further} ORDER BY f.shown, f.id LIMIT ${limit + 1}
    )
    SELECT a.id, a.name, m.nickname, a.kind = 'bot' AS "isBot", a.avatar, a.avatar_version AS "avatarVersion",
      m.joined_at AS "joinedAt", r.roles, (SELECT count(*) FROM found)::int AS found,
      (SELECT o.id FROM voice_sessions v JOIN rooms o ON o.id = v.room_id
        WHERE v.channel_id = m.channel_id AND v.account_id = m.account_id AND ${isSeenBy(tx.actor, channel)}) AS "voiceRoomId",
      m.chat_muted AND (m.chat_muted_until IS NULL OR m.chat_muted_until > now()) AS "chatMuted",
      m.chat_muted_until AS "chatMutedUntil",
      m.voice_muted AND (m.voice_muted_until IS NULL OR m.voice_muted_until > now()) AS "voiceMuted",
      m.voice_muted_until AS "voiceMutedUntil"
    FROM page p
    JOIN accounts a ON a.id = p.id
    JOIN members m ON m.account_id = a.id AND m.channel_id = ${channelId}::uuid
    CROSS JOIN LATERAL (SELECT ${roleFacts} AS roles FROM roles WHERE id = ANY (${roleIdsOfMember})) r
    ORDER BY p.shown, p.id`.execute(tx.db)

  const members = rows.slice(0, limit).map((row) => shown(tx, channel, row))
  return { members, found: rows[0]?.found ?? 0, hasMore: rows.length > limit }
}

function shown(tx: Tx, { ownerId, rights }: ChannelPlace, row: Row): FoundMember {
  return {
    ...shownMember(tx.parts.presence, row),
    roleIds: row.roles.map(({ id }) => id),
    rank: row.roles[0]?.rank ?? 0,
    isOwner: row.id === ownerId,
    joinedAt: row.joinedAt,
    voiceRoomId: row.voiceRoomId,
    ...(rights.has('mute_chat_member') && { chatMute: row.chatMuted ? { until: row.chatMutedUntil } : null }),
    ...(rights.has('mute_voice_member') && { voiceMute: row.voiceMuted ? { until: row.voiceMutedUntil } : null }),
  }
}
