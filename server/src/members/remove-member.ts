import { sql } from 'kysely'
import type { Tx } from '../transaction.ts'

/** Takes a member out of a channel whose row the caller has locked, with their roles and admissions there. */
export async function removeMember(tx: Tx, channelId: string, accountId: string): Promise<void> {
  await sql`
    WITH gone AS (
      DELETE FROM members WHERE channel_id = ${channelId}::uuid AND account_id = ${accountId}::uuid RETURNING *
    )
    INSERT INTO kept_mutes
      (channel_id, account_id, chat_muted, chat_muted_until, voice_muted, voice_muted_until)
    SELECT channel_id, account_id, chat_muted, chat_muted_until, voice_muted, voice_muted_until
    FROM gone WHERE chat_muted OR voice_muted`.execute(tx.db)
}
