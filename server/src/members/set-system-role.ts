import { memberChanged, type SystemRole } from '@portico/contract'
import { sql } from 'kysely'
import type { Tx } from '../operations/transaction.ts'
import { loadMember } from './load-member.ts'
import { toSpeaker } from './to-speaker.ts'

/** Replaces the default role of a member, who has exactly one. */
export async function setSystemRole(tx: Tx, channelId: string, accountId: string, role: SystemRole): Promise<void> {
  await sql`
    UPDATE members SET role_id = roles.id FROM roles
    WHERE roles.channel_id = ${channelId}::uuid AND roles.system_name = ${role}
      AND members.channel_id = roles.channel_id AND members.account_id = ${accountId}::uuid`.execute(tx.db)
  const member = await loadMember(tx, channelId, accountId)
  tx.emit(memberChanged, { channelId }, { member: toSpeaker(member) })
}
