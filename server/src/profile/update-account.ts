import type { Account, Input } from '@portico/contract'
import type * as api from '@portico/contract'
import { refuseAlikeInChannel } from '../members/names-in-channel.ts'
import { publishMemberChanged } from '../members/publish-member-changed.ts'
import type { Tx } from '../operations/transaction.ts'
import { loadAccount } from '../accounts/account.ts'
import { signedIn } from '../accounts/sessions.ts'
import { setPreferences } from '../accounts/write-account.ts'

export async function updateAccount(tx: Tx, input: Input<typeof api.updateAccount>): Promise<Account> {
  const { id } = signedIn(tx)
  const { name, locale, theme } = input
  if (name === undefined && locale === undefined && theme === undefined) return loadAccount(tx.db, id)
  if (name !== undefined) await refuseAlikeInChannel(tx, { accountId: id, name })
  const account = await setPreferences(tx.db, id, { name, locale, theme })
  if (name !== undefined) await publishMemberChanged(tx, id)
  return account
}
