import type { SessionEndReason } from '@portico/contract'
import { sql, type Kysely } from 'kysely'
import type { Tables } from '../db/tables.ts'
import { notification } from '../events/bus.ts'
import { deleteSessions } from './delete-sessions.ts'
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
  { reason, exceptSession }: { readonly reason: SessionEndReason; readonly exceptSession?: string },
): Promise<void> {
  await deleteSessions(db, accountId, reason, sql`id IS DISTINCT FROM ${exceptSession ?? null}::uuid`)
  await websiteSignIns.revokeGrants(db, accountId)
  await deleteResetLink(db, accountId)
  await notification('sessions', accountId).execute(db)
}
