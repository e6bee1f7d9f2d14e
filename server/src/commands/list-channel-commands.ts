import type { Input, Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import type { ChannelPlace } from '../operations/authorize.ts'
import { roleFacts, roleIdsOfMember } from '../operations/roles-of-member.ts'
import type { Tx } from '../operations/transaction.ts'
import { silentRooms, type Answering } from './silent-rooms.ts'

type Listed = Output<typeof api.listChannelCommands>

interface Row extends Answering {
  bot: Listed['commands'][number]['bot']
  commands: Omit<Listed['commands'][number], 'bot'>[]
}

export async function listChannelCommands(
  tx: Tx,
  _input: Input<typeof api.listChannelCommands>,
  channel: ChannelPlace,
): Promise<Listed> {
  const { rows } = await sql<Row>`
    SELECT json_build_object('id', a.id, 'name', a.name,
        'hasWebhook', EXISTS (SELECT FROM webhooks w WHERE w.application_id = p.id AND w.active)) AS bot,
      (SELECT json_agg(jsonb_strip_nulls(jsonb_build_object('options', c.options)) || jsonb_build_object(
          'name', c.name, 'description', c.description, 'usage', c.usage, 'position', c.position) ORDER BY c.position)
        FROM commands c WHERE c.application_id = p.id) AS commands,
      r.roles,
      m.chat_muted AND (m.chat_muted_until IS NULL OR m.chat_muted_until > now()) AS "chatMuted"
    FROM members m
    JOIN accounts a ON a.id = m.account_id AND a.kind = 'bot'
    JOIN applications p ON p.bot_id = a.id
    CROSS JOIN LATERAL (SELECT ${roleFacts} AS roles FROM roles WHERE id = ANY (${roleIdsOfMember})) r
    WHERE m.channel_id = ${channel.channelId}::uuid AND m.is_bot AND EXISTS (SELECT FROM commands c WHERE c.application_id = p.id)
    ORDER BY a.name, a.id`.execute(tx.db)

  const commands = rows.flatMap((row) => row.commands.map((command) => ({ ...command, bot: row.bot })))
  return { commands, silent: rows.length === 0 ? [] : await silentRooms(tx, channel, rows) }
}
