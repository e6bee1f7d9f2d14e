import { RIGHTS, type Input, type OwnStanding } from '@portico/contract'
import type * as api from '@portico/contract'
import { signedIn } from '../accounts/sessions.ts'
import type { Tx } from '../operations/transaction.ts'
import type { ChannelPlace } from '../operations/authorize.ts'

export async function getStanding(
  tx: Tx,
  _input: Input<typeof api.getStanding>,
  { ownerId, rank, roles, rights }: ChannelPlace,
): Promise<OwnStanding> {
  return {
    isOwner: signedIn(tx).id === ownerId,
    rank,
    roleIds: roles.map(({ id }) => id),
    rights: RIGHTS.filter((right) => rights.has(right)),
  }
}
