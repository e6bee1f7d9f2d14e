import { mentionOf } from '@portico/contract'
import { sql, type RawBuilder } from 'kysely'
import type { RoomPlace } from '../operations/authorize.ts'
import { ROLE_IDS_OF_MEMBER } from '../operations/roles-of-member.ts'
import type { Tx } from '../operations/transaction.ts'

/**
 * SQL for the statement of the messages' events, whose change has the columns `author_id` and `mentioned`: records unread
 * mentions for members who can see the room, never for the author. They are looked up one by one (hence the
 * LIMIT): a join might read all members of the channel.
 */
export const INSERT_MENTIONS = `
  INSERT INTO mentions (account_id, room_id, message_id, channel_id)
  SELECT m.account_id, o.id, appended.id, m.channel_id
  FROM appended
  CROSS JOIN LATERAL (SELECT DISTINCT unnest(appended.mentioned::uuid[]) AS id) named
  CROSS JOIN LATERAL (
    SELECT * FROM members WHERE channel_id = appended.channel_id AND account_id = named.id LIMIT 1
  ) m
  JOIN channels c ON c.id = m.channel_id JOIN rooms o ON o.id = appended.room_id
  WHERE NOT m.is_bot AND m.account_id <> appended.author_id
    AND (NOT o.private OR c.owner_id = m.account_id OR EXISTS (
      SELECT FROM room_admissions a
      WHERE a.room_id = o.id AND (a.account_id = m.account_id OR a.role_id = ANY (${ROLE_IDS_OF_MEMBER}))))`

/**
 * SQL for the same statement: an author has read what was written before. It doesn't see a mention that commits while the
 * statement waits for the log; reading doesn't count that one.
 */
export const DELETE_MENTIONS_OF_AUTHOR = `
  DELETE FROM mentions n USING appended
  WHERE n.account_id = appended.author_id AND n.room_id = appended.room_id AND n.message_id <= appended.id`

/** Deletes the unread mentions of a message, except those of these accounts. */
export function withdrawMentions(tx: Tx, messageId: string, exceptIds: readonly string[]): void {
  tx.queue(sql`
    DELETE FROM mentions WHERE message_id = ${messageId}::uuid AND account_id <> ALL (${exceptIds}::uuid[])`)
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
