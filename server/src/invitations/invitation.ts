import type { Tx } from '../operations/transaction.ts'
import type { Invitation } from '@portico/contract'
import { sql, type Kysely } from 'kysely'
import type { Tables } from '../db/tables.ts'
import { cannot, type Refusal } from '../operations/refusal.ts'

export type InvitationRow = Omit<Invitation, 'url'>

/** The columns of an invitation `i`, created by `a`. */
export const invitationColumns = sql`i.id, i.code, i.created_at AS "createdAt", i.expires_at AS "expiresAt",
  i.max_uses AS "maxUses", i.uses,
  CASE WHEN a.id IS NOT NULL THEN json_build_object('id', a.id, 'name', a.name) END AS "createdBy"`

/** Whether the invitation `i` still works. */
export const isWorking = sql<boolean>`(
  (i.expires_at IS NULL OR i.expires_at > now()) AND (i.max_uses IS NULL OR i.uses < i.max_uses)
)`

export function toInvitation(linkBase: string, row: InvitationRow): Invitation {
  return { ...row, url: `${linkBase}/invite/${row.code}` }
}

/** How the audit log names an invitation: recognizable, but without the code. */
export function auditedInvitation({ id, code }: { id: string; code: string }) {
  return { id, name: `${code.slice(0, 4)}…` }
}

export async function requireWorkingInvitation(db: Kysely<Tables>, code: string): Promise<void> {
  const { rows } = await sql`SELECT FROM invitations i WHERE i.code = ${code} AND ${isWorking}`.execute(db)
  if (rows.length === 0) throw invitationNotValid()
}

/** The same answer for expired, used up, revoked and unknown invitations, so that codes can't be probed. */
export function invitationNotValid(): Refusal {
  return cannot('This invitation isn’t valid.', 'invitation_not_valid')
}

/** Invitations outlive the account of the person who created them. */
export async function forgetInviter(tx: Tx, accountId: string): Promise<void> {
  await tx.db.updateTable('invitations').set({ created_by: null }).where('created_by', '=', accountId).execute()
}
