import { LIMITS, mentionedIds, type NamedMember } from '@portico/contract'
import { sql } from 'kysely'
import { authorOf } from '../actor.ts'
import type { RoomPlace } from '../members/access.ts'
import { roleIdsOfMember } from '../roles/roles-of-member.ts'
import type { Tx } from '../transaction.ts'

/** The people and bots that texts of a channel name, with the names that they have now: also those who have left. */
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

/** Those of the names that a text asks for. */
export function mentionedIn(text: string, names: ReadonlyMap<string, NamedMember>): NamedMember[] {
  return mentionsOf(text).flatMap((id) => names.get(id) ?? [])
}

/** Notes for the people whom a message names that it waits for them: members who can see the room, never its author. */
export function recordMentions(tx: Tx, room: RoomPlace, messageId: string, text: string): void {
  const ids = mentionsOf(text)
  if (ids.length === 0) return
  tx.along(sql`
    INSERT INTO mentions (account_id, room_id, message_id, channel_id)
    SELECT m.account_id, o.id, ${messageId}::uuid, m.channel_id
    FROM members m JOIN channels c ON c.id = m.channel_id JOIN rooms o ON o.id = ${room.roomId}::uuid
    WHERE m.channel_id = ${room.channelId}::uuid AND m.account_id = ANY (${ids}::uuid[])
      AND NOT m.is_bot AND m.account_id <> ${authorOf(tx.actor).id}::uuid
      AND (NOT o.private OR c.owner_id = m.account_id OR EXISTS (
        SELECT FROM room_admissions a
        WHERE a.room_id = o.id AND (a.account_id = m.account_id OR a.role_id = ANY (${roleIdsOfMember}))))`)
}

/** An edit calls nobody anew; whom the message no longer names is no longer waited for. */
export function withdrawMentions(tx: Tx, messageId: string, text: string): void {
  tx.along(sql`
    DELETE FROM mentions WHERE message_id = ${messageId}::uuid AND account_id <> ALL (${mentionsOf(text)}::uuid[])`)
}

function mentionsOf(text: string): string[] {
  return mentionedIds(text).slice(0, LIMITS.mentionsOfMessage)
}
