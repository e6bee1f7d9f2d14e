import type { SystemRole } from '@portico/contract'
import { sql } from 'kysely'
import { lockAccount } from '../accounts/lock-account.ts'
import type { Tx } from '../operations/transaction.ts'
import { refuseBanned } from './bans.ts'
import { beginMembership } from './membership.ts'
import { endNicknamesLike } from './names-in-channel.ts'

export interface NewMember {
  readonly channelId: string
  readonly accountId: string
  readonly role: SystemRole
  readonly isBot?: boolean
}

/**
 * Adds an account to a channel whose row the caller has locked, unless they are banned. A mute from before they left
 * applies again; a kick is forgotten; a nickname of someone else that looks like their name ends. Returns false if they were a member already.
 */
export async function addMember(tx: Tx, { channelId, accountId, role, isBot = false }: NewMember): Promise<boolean> {
  await lockAccount(tx, accountId)
  if (!isBot) await refuseBanned(tx, channelId, accountId)
  const { rows } = await sql<{ roleId: string; name: string }>`
    WITH forgiven AS (
      DELETE FROM kicks WHERE channel_id = ${channelId}::uuid AND account_id = ${accountId}::uuid
    ), kept AS (
      DELETE FROM saved_mutes WHERE channel_id = ${channelId}::uuid AND account_id = ${accountId}::uuid RETURNING *
    )
    INSERT INTO members
      (channel_id, account_id, role_id, is_bot, chat_muted, chat_muted_until, chat_mute_reason, chat_muted_by,
        voice_muted, voice_muted_until, voice_mute_reason, voice_muted_by)
    SELECT r.channel_id, ${accountId}::uuid, r.id, ${isBot}::boolean,
      coalesce(k.chat_muted, false), k.chat_muted_until, k.chat_mute_reason, k.chat_muted_by,
      coalesce(k.voice_muted, false), k.voice_muted_until, k.voice_mute_reason, k.voice_muted_by
    FROM roles r LEFT JOIN kept k ON true
    WHERE r.channel_id = ${channelId}::uuid AND r.system_name = ${role}
    ON CONFLICT DO NOTHING
    RETURNING role_id AS "roleId", (SELECT name FROM accounts WHERE id = account_id) AS name`.execute(tx.db)
  if (!rows[0]) return false
  beginMembership(tx, { channelId, accountId, isBot, ...rows[0] })
  await endNicknamesLike(tx, channelId, accountId)
  return true
}
