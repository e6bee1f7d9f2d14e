import { LIMITS } from '@portico/contract'
import { sql, type Kysely } from 'kysely'
import { deleteInBatches, type Sweep } from '../db/delete-in-batches.ts'
import type { Tables } from '../db/tables.ts'
import { cannot, type Refusal } from '../operations/refusal.ts'
import { ACCOUNT } from './account.ts'
import { hashToken, newToken } from './session-token.ts'

/** Makes the person's one reset link; an earlier one stops working. The code can't be read again. */
export async function replaceResetLink(
  db: Kysely<Tables>,
  accountId: string,
): Promise<{ code: string; expiresAt: string }> {
  const code = newToken()
  const code_hash = hashToken(code)
  const expires_at = sql<string>`now() + make_interval(secs => ${LIMITS.resetLinkLife})`
  const { expiresAt } = await db
    .insertInto('reset_links')
    .values({ account_id: accountId, code_hash, expires_at })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet({ code_hash, expires_at }))
    .returning('expires_at as expiresAt')
    .executeTakeFirstOrThrow()
  return { code, expiresAt }
}

/** The account of a link that works: not expired, and of a person who can sign in. */
export function accountOfResetLink(db: Kysely<Tables>, code: string) {
  return db
    .selectFrom('reset_links as r')
    .innerJoin('accounts', 'accounts.id', 'r.account_id')
    .select(ACCOUNT)
    .where('r.code_hash', '=', hashToken(code))
    .where('r.expires_at', '>', sql<string>`now()`)
    .where('accounts.disabled_at', 'is', null)
    .where('accounts.deleted_at', 'is', null)
}

/** Returns false if another request used the link first. */
export async function useResetLink(db: Kysely<Tables>, code: string): Promise<boolean> {
  const used = await db
    .deleteFrom('reset_links')
    .where('code_hash', '=', hashToken(code))
    .returning('account_id')
    .executeTakeFirst()
  return used !== undefined
}

export async function deleteResetLink(db: Kysely<Tables>, accountId: string): Promise<void> {
  await db.deleteFrom('reset_links').where('account_id', '=', accountId).execute()
}

export async function deleteExpiredResetLinks(sweep: Sweep): Promise<void> {
  await deleteInBatches(sweep, 'reset_links', sql`expires_at < now()`)
}

/** The same answer for used, replaced, expired and unknown links. */
export function resetLinkNotValid(): Refusal {
  return cannot('This reset link no longer works.', 'reset_link_not_valid')
}
