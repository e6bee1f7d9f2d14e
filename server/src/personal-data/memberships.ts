import { sql } from 'kysely'
import { roleFacts, roleIdsOfMember } from '../operations/roles-of-member.ts'
import type { Tx } from '../operations/transaction.ts'

/** The person's channels, with their roles and mutes, and where the person has sorted them. */
export async function listMemberships(tx: Tx, accountId: string): Promise<object[]> {
  const { rows } = await sql<object>`
    SELECT c.id, c.name, c.owner_id = m.account_id AS owned, m.nickname, m.joined_at AS "joinedAt",
      (SELECT p.position FROM channel_positions p WHERE p.channel_id = m.channel_id AND p.account_id = m.account_id)
        AS position,
      m.chat_muted AS "chatMuted", m.chat_muted_until AS "chatMutedUntil",
      m.voice_muted AS "voiceMuted", m.voice_muted_until AS "voiceMutedUntil",
      (SELECT json_agg(r ->> 'name') FROM json_array_elements(f.roles) r) AS roles
    FROM members m JOIN channels c ON c.id = m.channel_id AND c.deleted_at IS NULL
    CROSS JOIN LATERAL (SELECT ${roleFacts} AS roles FROM roles WHERE id = ANY (${roleIdsOfMember})) f
    WHERE m.account_id = ${accountId}::uuid
    ORDER BY m.joined_at, c.id`.execute(tx.db)
  return rows
}
