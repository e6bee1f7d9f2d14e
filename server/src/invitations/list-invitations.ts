import type { Input, Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import { signedIn } from '../accounts/sessions.ts'
import { missingRight } from '../operations/access-refusals.ts'
import type { ChannelPlace } from '../operations/authorize.ts'
import type { Services } from '../operations/services.ts'
import type { Tx } from '../operations/transaction.ts'
import { invitationColumns, isWorking, toInvitation, type InvitationRow } from './invitation.ts'

export async function listInvitations(
  tx: Tx,
  _input: Input<typeof api.listInvitations>,
  { channelId, rights }: ChannelPlace,
  { linkBase }: Pick<Services, 'linkBase'>,
): Promise<Output<typeof api.listInvitations>> {
  const all = rights.has('manage_channel')
  if (!all && !rights.has('invite_member')) throw missingRight('invite_member')
  const own = all ? sql`` : sql`AND i.created_by = ${signedIn(tx).id}::uuid`
  const { rows } = await sql<InvitationRow>`
    SELECT ${invitationColumns}
    FROM invitations i LEFT JOIN accounts a ON a.id = i.created_by
    WHERE i.channel_id = ${channelId}::uuid AND ${isWorking} ${own}
    ORDER BY i.id DESC`.execute(tx.db)
  return { invitations: rows.map((row) => toInvitation(linkBase(), row)) }
}
