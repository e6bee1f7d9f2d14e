import { sql } from 'kysely'
import type { Tx } from '../operations/transaction.ts'
import { endVoiceSession } from '../voice/voice-session.ts'
import { endMembership } from './membership.ts'

/** Removes a member from a channel whose row the caller has locked, with their voice session, roles and admissions. */
export async function removeMember(tx: Tx, channelId: string, accountId: string): Promise<void> {
  await endVoiceSession(tx, channelId, accountId)
  const { rows } = await sql<{ isBot: boolean; name: string; channelName: string }>`
    WITH gone AS (
      DELETE FROM members WHERE channel_id = ${channelId}::uuid AND account_id = ${accountId}::uuid RETURNING *
    ), kept AS (
      INSERT INTO saved_mutes
        (channel_id, account_id, chat_muted, chat_muted_until, chat_mute_reason, chat_muted_by,
        voice_muted, voice_muted_until, voice_mute_reason, voice_muted_by)
      SELECT channel_id, account_id, chat_muted, chat_muted_until, chat_mute_reason, chat_muted_by,
        voice_muted, voice_muted_until, voice_mute_reason, voice_muted_by
      FROM gone WHERE chat_muted OR voice_muted
    )
    SELECT is_bot AS "isBot", coalesce(nickname, (SELECT name FROM accounts WHERE id = account_id)) AS name,
      (SELECT name FROM channels WHERE id = channel_id) AS "channelName"
    FROM gone`.execute(tx.db)
  const [gone] = rows
  if (gone) endMembership(tx, { id: channelId, name: gone.channelName }, { accountId, ...gone })
}
