import { LIMITS, mentionedIds, type NamedMember } from '@portico/contract'
import { sql, type RawBuilder } from 'kysely'
import type { Tx } from '../operations/transaction.ts'

/** The people and bots mentioned in texts of a channel, with their current names, including those who have left. */
export async function namesIn(
  tx: Tx,
  channelId: string,
  texts: readonly string[],
): Promise<ReadonlyMap<string, NamedMember>> {
  const ids = [...new Set(texts.flatMap(mentionsOf))]
  if (ids.length === 0) return new Map()
  const { rows } = await sql<NamedMember>`
    SELECT a.id, a.name, m.nickname AS "channelNickname"
    FROM accounts a LEFT JOIN members m ON m.channel_id = ${channelId}::uuid AND m.account_id = a.id
    WHERE a.id = ANY (${ids}::uuid[])`.execute(tx.db)
  return new Map(rows.map((row) => [row.id, row]))
}

/** The names that a text needs. */
export function mentionedIn(text: string, names: ReadonlyMap<string, NamedMember>): NamedMember[] {
  return mentionsOf(text).flatMap((id) => names.get(id) ?? [])
}

/** An edit notifies no one; a removed mention is no longer unread. */
export function withdrawMentions(tx: Tx, messageId: string, text: string): void {
  tx.queue(sql`
    DELETE FROM mentions WHERE message_id = ${messageId}::uuid AND account_id <> ALL (${mentionsOf(text)}::uuid[])`)
}

/** The people and bots that a text mentions, up to the limit. */
export function mentionsOf(text: string): string[] {
  return mentionedIds(text).slice(0, LIMITS.mentionsOfMessage)
}

/** SQL that deletes a person's mentions up to the message that each row of `places` names for its room. */
export function deleteReadMentions(accountId: string, places: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`DELETE FROM mentions n USING ${places} p
    WHERE n.account_id = ${accountId}::uuid AND n.room_id = p.room_id AND n.message_id <= p.message_id`
}
