import type { Input, Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import type { RoomPlace } from '../operations/authorize.ts'
import type { Tx } from '../operations/transaction.ts'
import { requireMessage } from './message.ts'

const MOST_SHOWN = 100

export async function listReactors(
  tx: Tx,
  { messageId }: Input<typeof api.listReactors>,
  room: RoomPlace,
): Promise<Output<typeof api.listReactors>> {
  const { id } = await requireMessage(tx, room, messageId)
  const { rows } = await sql<Output<typeof api.listReactors>['reactions'][number]>`
    SELECT r.emoji, r.count, (
      SELECT json_agg(
        json_build_object('id', a.id, 'name', a.name, 'channelNickname', m.nickname, 'isBot', a.kind = 'bot')
        ORDER BY s.created_at, a.id)
      FROM (
        SELECT account_id, created_at FROM reactions
        WHERE message_id = ${id}::uuid AND emoji = r.emoji ORDER BY created_at, account_id LIMIT ${MOST_SHOWN}
      ) s
      JOIN accounts a ON a.id = s.account_id
      LEFT JOIN members m ON m.channel_id = ${room.channelId}::uuid AND m.account_id = s.account_id
    ) AS members
    FROM (
      SELECT emoji, count(*)::int AS count, min(created_at) AS since
      FROM reactions WHERE message_id = ${id}::uuid GROUP BY emoji
    ) r ORDER BY r.since, r.emoji`.execute(tx.db)
  return { reactions: rows }
}
