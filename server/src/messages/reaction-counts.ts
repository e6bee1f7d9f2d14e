import type { Message } from '@portico/contract'
import { sql } from 'kysely'
import { authorOf } from '../operations/actor.ts'
import type { Tx } from '../operations/transaction.ts'

type Counts = NonNullable<Message['reactions']>

/** The reactions of many messages in one query, each kind in the order in which it was first added. */
export async function reactionCounts(tx: Tx, messageIds: readonly string[]): Promise<Map<string, Counts>> {
  const counts = new Map<string, Counts>()
  if (messageIds.length === 0) return counts
  const { rows } = await sql<{ messageId: string; emoji: string; count: number; mine: boolean }>`
    SELECT message_id AS "messageId", emoji, count(*)::int AS count, bool_or(account_id = ${authorOf(tx.actor).id}::uuid) AS mine
    FROM reactions WHERE message_id = ANY (${messageIds}::uuid[])
    GROUP BY message_id, emoji ORDER BY min(created_at), emoji`.execute(tx.db)
  for (const { messageId, ...count } of rows) {
    const list = counts.get(messageId)
    if (list) list.push(count)
    else counts.set(messageId, [count])
  }
  return counts
}
