import type { Account } from '@portico/contract'
import { publishMemberChanged } from '../members/publish-member-changed.ts'
import type { Tx } from '../operations/transaction.ts'
import { dropPicture, initialsFile, keepPicture, pictureFile } from '../pictures/keep-picture.ts'
import { ACCOUNT } from './account.ts'
import { signedIn } from './sessions.ts'

export async function setAccountPicture(tx: Tx, { picture }: { picture: string }): Promise<Account> {
  const { id } = signedIn(tx)
  await showPicture(tx, id, picture)
  return ownAccount(tx, id)
}

export async function removeAccountPicture(tx: Tx): Promise<Account> {
  const { id } = signedIn(tx)
  await showInitials(tx, id)
  return ownAccount(tx, id)
}

/** Of a person or a bot. */
export async function showPicture(tx: Tx, accountId: string, picture: string): Promise<void> {
  await keepPicture(tx, { account_id: accountId }, picture)
  await setAvatar(tx, accountId, pictureFile(accountId))
}

/** Returns false if they were shown already. */
export async function showInitials(tx: Tx, accountId: string): Promise<boolean> {
  const changed = await dropPicture(tx, { account_id: accountId })
  if (changed) await setAvatar(tx, accountId, initialsFile(accountId))
  return changed
}

async function setAvatar(tx: Tx, accountId: string, avatar: string): Promise<void> {
  await tx.db
    .updateTable('accounts')
    .set((eb) => ({ avatar, avatar_version: eb('avatar_version', '+', 1) }))
    .where('id', '=', accountId)
    .execute()
  await publishMemberChanged(tx, accountId)
}

function ownAccount(tx: Tx, id: string): Promise<Account> {
  return tx.db.selectFrom('accounts').select(ACCOUNT).where('id', '=', id).executeTakeFirstOrThrow()
}
