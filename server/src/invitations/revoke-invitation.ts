import type { Input } from '@portico/contract'
import type * as api from '@portico/contract'
import { signedIn } from '../accounts/sessions.ts'
import { missingRight } from '../operations/access-refusals.ts'
import type { ChannelPlace } from '../operations/authorize.ts'
import { cannot } from '../operations/refusal.ts'
import type { Tx } from '../operations/transaction.ts'
import { auditedInvitation } from './invitation.ts'

export async function revokeInvitation(
  tx: Tx,
  input: Input<typeof api.revokeInvitation>,
  { channelId, rights }: ChannelPlace,
): Promise<null> {
  const invitation = await tx.db
    .selectFrom('invitations')
    .select(['id', 'code', 'created_by'])
    .where('id', '=', input.invitationId)
    .where('channel_id', '=', channelId)
    .executeTakeFirst()
  if (!invitation) throw cannot('There’s no such invitation in this channel.', 'no_such_invitation')
  const own = invitation.created_by === signedIn(tx).id
  if (!own && !rights.has('manage_channel')) throw missingRight('manage_channel')

  await tx.db.deleteFrom('invitations').where('id', '=', invitation.id).execute()
  tx.audit({ action: 'invitation.revoked', channelId, target: auditedInvitation(invitation) })
  return null
}
