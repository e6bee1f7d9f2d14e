import type { Input, Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { signedIn } from '../accounts/sessions.ts'
import type { Tx } from '../operations/transaction.ts'
import { joinByInvitation } from './join-by-invitation.ts'

export async function acceptInvitation(
  tx: Tx,
  { code }: Input<typeof api.acceptInvitation>,
): Promise<Output<typeof api.acceptInvitation>> {
  return { channelId: await joinByInvitation(tx, signedIn(tx).id, code) }
}
