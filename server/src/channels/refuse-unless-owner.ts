import type { ChannelPlace } from '../operations/authorize.ts'
import { Refusal } from '../operations/refusal.ts'
import type { Tx } from '../operations/transaction.ts'
import { signedIn } from '../accounts/sessions.ts'

export function refuseUnlessOwner(tx: Tx, { ownerId }: ChannelPlace): void {
  if (signedIn(tx).id === ownerId) return
  throw new Refusal('forbidden', { message: 'Only the channel’s owner can do this.', reason: 'not_the_owner' })
}
