import type { ChannelPlace } from '../members/access.ts'
import { Refusal } from '../refusal.ts'
import type { Tx } from '../transaction.ts'
import { signedIn } from '../accounts/sessions.ts'

export function refuseUnlessOwner(tx: Tx, { ownerId }: ChannelPlace): void {
  if (signedIn(tx).id === ownerId) return
  throw new Refusal('forbidden', { message: 'Only the owner of the channel can do this.', reason: 'not_the_owner' })
}
