import { rightsOf, type Input, type Output, type Standing } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import type { ChannelPlace } from '../members/access.ts'
import { roleFacts, roleIdsOfMember } from '../roles/roles-of-member.ts'
import { visibleRoom } from '../rooms/visible-room.ts'
import type { Tx } from '../transaction.ts'

type Commands = Output<typeof api.listChannelCommands>['commands']

interface Row {
  bot: { id: string; name: string }
  commands: Omit<Commands[number], 'bot'>[]
  private: boolean
  admitted: boolean
  roles: Standing['roles']
  overrides: Standing['overrides'] | null
  chatMuted: boolean
}

export async function listChannelCommands(
  tx: Tx,
  { roomId }: Input<typeof api.listChannelCommands>,
  channel: ChannelPlace,
): Promise<{ commands: Commands }> {
  if (roomId !== undefined) await visibleRoom(tx, channel, roomId)
  const { rows } = await sql<Row>`
    SELECT json_build_object('id', a.id, 'name', a.name) AS bot,
      (SELECT json_agg(json_build_object(
          'name', c.name, 'description', c.description, 'usage', c.usage, 'position', c.position) ORDER BY c.position)
        FROM commands c WHERE c.application_id = p.id) AS commands,
      coalesce(o.private, false) AS private,
      EXISTS (SELECT FROM room_admissions d WHERE d.room_id = o.id
        AND (d.account_id = m.account_id OR d.role_id = ANY (${roleIdsOfMember}))) AS admitted,
      r.roles,
      (SELECT json_agg(json_build_object('roleId', v.role_id, 'allow', v.allow, 'deny', v.deny))
        FROM room_overrides v WHERE v.room_id = o.id) AS overrides,
      m.chat_muted AND (m.chat_muted_until IS NULL OR m.chat_muted_until > now()) AS "chatMuted"
    FROM members m
    JOIN accounts a ON a.id = m.account_id AND a.kind = 'bot'
    JOIN applications p ON p.bot_id = a.id
    CROSS JOIN LATERAL (SELECT ${roleFacts} AS roles FROM roles WHERE id = ANY (${roleIdsOfMember})) r
    LEFT JOIN rooms o ON o.id = ${roomId ?? null}::uuid
    WHERE m.channel_id = ${channel.channelId}::uuid AND EXISTS (SELECT FROM commands c WHERE c.application_id = p.id)
    ORDER BY a.name, a.id`.execute(tx.db)

  const offered = roomId === undefined ? rows : rows.filter(canAnswer)
  return { commands: offered.flatMap(({ bot, commands }) => commands.map((command) => ({ ...command, bot }))) }
}

/** A bot that cannot read or write in a room would never answer there. */
function canAnswer(row: Row): boolean {
  if (row.private && !row.admitted) return false
  const rights = rightsOf({ ...row, overrides: row.overrides ?? [], isOwner: false, voiceMuted: false })
  return rights.has('read_text_room') && rights.has('write_text_room')
}
