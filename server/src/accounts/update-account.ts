import type { Account, Input } from '@portico/contract'
import type * as api from '@portico/contract'
import { refuseAlikeInChannel } from '../members/names-in-channel.ts'
import { publishMemberChanged } from '../members/publish-member-changed.ts'
import type { Tx } from '../operations/transaction.ts'
import { ACCOUNT, nameRefusal, skeletonOf } from './account.ts'
import { signedIn } from './sessions.ts'

export async function updateAccount(tx: Tx, input: Input<typeof api.updateAccount>): Promise<Account> {
  const { id } = signedIn(tx)
  const { name, locale, theme } = input
  if (name === undefined && locale === undefined && theme === undefined) {
    return tx.db.selectFrom('accounts').select(ACCOUNT).where('id', '=', id).executeTakeFirstOrThrow()
  }
  if (name !== undefined) await refuseAlikeInChannel(tx, { accountId: id, name })
  try {
    const account = await tx.db
      .updateTable('accounts')
      .set((eb) => ({
        ...(name !== undefined && {
          name,
          name_skeleton: skeletonOf(name),
          avatar_version: eb('avatar_version', '+', 1),
        }),
        ...(locale !== undefined && { locale }),
        ...(theme !== undefined && { theme }),
      }))
      .where('id', '=', id)
      .returning(ACCOUNT)
      .executeTakeFirstOrThrow()
    if (name !== undefined) await publishMemberChanged(tx, id)
    return account
  } catch (error) {
    throw nameRefusal(error)
  }
}
