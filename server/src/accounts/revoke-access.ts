import { sql, type Kysely } from 'kysely'
import type { Tables } from '../db/tables.ts'
import { notification } from '../events/bus.ts'
import { deleteResetLink } from './reset-link.ts'
import type { WebsiteSignIns } from './website-sign-ins.ts'

/**
 * Ends everything that a password gave access to: sessions with their open sockets, and sign-ins at websites, whose codes
 * and tokens are deleted with their grants. A reset link stops working too. Runs in the transaction that changes the
 * password or disables the person.
 */
export async function revokeAccess(
  db: Kysely<Tables>,
  websiteSignIns: WebsiteSignIns,
  accountId: string,
  { exceptSession }: { readonly exceptSession?: string } = {},
): Promise<void> {
  await sql`DELETE FROM sessions
    WHERE account_id = ${accountId}::uuid AND id IS DISTINCT FROM ${exceptSession ?? null}::uuid`.execute(db)
  await websiteSignIns.revokeGrants(db, accountId)
  await deleteResetLink(db, accountId)
  await notification('sessions', accountId).execute(db)
}
