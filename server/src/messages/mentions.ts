import { GROUPS, LIMITS, mentionedGroups, mentionedIds, mentionOf, type NamedMember } from '@portico/contract'
import { sql, type RawBuilder } from 'kysely'
import type { RoomPlace } from '../operations/authorize.ts'
import type { Tx } from '../operations/transaction.ts'

const NAMED: ReadonlySet<string> = new Set(GROUPS)

/** The people, bots and roles mentioned in texts of a channel, with their current names, including people who have left. */
export async function namesIn(
  tx: Pick<Tx, 'db'>,
  channelId: string,
  texts: readonly string[],
): Promise<ReadonlyMap<string, NamedMember>> {
  const ids = [...new Set(texts.flatMap(mentionsOf))]
  const roleIds = [...new Set(texts.flatMap(rolesOf))]
  if (ids.length === 0 && roleIds.length === 0) return new Map()
  const { rows } = await sql<NamedMember>`
    SELECT a.id, a.name, m.nickname AS "channelNickname"
    FROM accounts a LEFT JOIN members m ON m.channel_id = ${channelId}::uuid AND m.account_id = a.id
    WHERE a.id = ANY (${ids}::uuid[])
    UNION ALL
    SELECT id, name, NULL FROM roles WHERE id = ANY (${roleIds}::uuid[]) AND channel_id = ${channelId}::uuid`.execute(
    tx.db,
  )
  return new Map(rows.map((row) => [row.id, row]))
}

/** The names that a text needs. */
export function mentionedIn(text: string, names: ReadonlyMap<string, NamedMember>): NamedMember[] {
  return [...mentionsOf(text), ...rolesOf(text)].flatMap((id) => names.get(id) ?? [])
}

/** The groups that a new message notifies: none without the right, and only roles of the channel, whose names are known. */
export function groupsToNotify(
  text: string,
  { rights }: Pick<RoomPlace, 'rights'>,
  names: ReadonlyMap<string, NamedMember>,
): string[] {
  const groups = rights.has('mention_everyone') ? mentionedGroups(text) : []
  return groups.filter((group) => NAMED.has(group) || names.has(group))
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

function rolesOf(text: string): string[] {
  return mentionedGroups(text)
    .filter((group) => !NAMED.has(group))
    .slice(0, LIMITS.mentionsOfMessage)
}

/** SQL that deletes the mentions of the person `$1` up to the message that each row of `places` names for its room. */
export const DELETE_READ_MENTIONS = `
  DELETE FROM mentions n USING places p
  WHERE n.account_id = $1::uuid AND n.room_id = p.room_id AND n.message_id <= p.message_id`

/** How many messages are searched for mentions when a room is marked as unread. */
const MOST_RESTORED = 1000

/** SQL that counts a person's mentions from a message on as unread again, in a room that they can read. */
export function restoreMentions(accountId: string, { roomId }: RoomPlace, messageId: string): RawBuilder<unknown> {
  return sql`
    INSERT INTO mentions (account_id, room_id, message_id, channel_id)
    SELECT ${accountId}::uuid, m.room_id, m.id, m.channel_id
    FROM (
      SELECT id, room_id, channel_id, author_id, text FROM messages
      WHERE room_id = ANY (ARRAY[${roomId}::uuid]) AND deleted_at IS NULL AND id >= ${messageId}::uuid
      ORDER BY room_id, id DESC LIMIT ${sql.lit(MOST_RESTORED)}
    ) m
    WHERE m.author_id <> ${accountId}::uuid AND position(${mentionOf(accountId)}::text in lower(m.text)) > 0
    ON CONFLICT DO NOTHING`
}
