import type { Account } from '@portico/contract'
import { publishMemberChanged } from '../members/publish-member-changed.ts'
import type { Tx } from '../operations/transaction.ts'
import { dropPicture, initialsFile, keepPicture, pictureFile } from '../pictures/keep-picture.ts'
import { loadAccount } from '../accounts/account.ts'
import { signedIn } from '../accounts/sessions.ts'
import { setAvatar } from '../accounts/write-account.ts'

export async function setAccountPicture(tx: Tx, { picture }: { picture: string }): Promise<Account> {
  const { id } = signedIn(tx)
  await showPicture(tx, id, picture)
  return loadAccount(tx.db, id)
}

export async function removeAccountPicture(tx: Tx): Promise<Account> {
  const { id } = signedIn(tx)
  await showInitials(tx, id)
  return loadAccount(tx.db, id)
}

/** Of a person or a bot. */
export async function showPicture(tx: Tx, accountId: string, picture: string): Promise<void> {
  await keepPicture(tx, { account_id: accountId }, picture)
  await showAvatar(tx, accountId, pictureFile(accountId))
}

/** Returns false if they were shown already. */
export async function showInitials(tx: Tx, accountId: string): Promise<boolean> {
  const changed = await dropPicture(tx, { account_id: accountId })
  if (changed) await showAvatar(tx, accountId, initialsFile(accountId))
  return changed
}

async function showAvatar(tx: Tx, accountId: string, avatar: string): Promise<void> {
  await setAvatar(tx.db, accountId, avatar)
  await publishMemberChanged(tx, accountId)
}
