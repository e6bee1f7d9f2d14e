import { memberChanged } from '@portico/contract'
import { sql } from 'kysely'
import { roleIdsOfMember } from '../operations/roles-of-member.ts'
import type { Tx } from '../operations/transaction.ts'

/** Open clients of the account's channels show the new name or picture immediately. */
export async function publishMemberChanged(tx: Tx, accountId: string): Promise<void> {
  const memberships = await tx.db
    .selectFrom('members as m')
    .innerJoin('accounts as a', 'a.id', 'm.account_id')
    .select(['a.id', 'a.name', 'm.nickname as channelNickname', 'a.avatar', 'a.avatar_version as avatarVersion'])
    .select(['m.channel_id as channelId', sql<boolean>`a.kind = 'bot'`.as('isBot')])
    .select(sql<string[]>`${roleIdsOfMember}`.as('roleIds'))
    .where('m.account_id', '=', accountId)
    .execute()
  for (const { channelId, ...member } of memberships) tx.emit(memberChanged, { channelId }, { member })
}
