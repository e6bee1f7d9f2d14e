import { RIGHTS, type Input, type OwnPermissions } from '@portico/contract'
import type * as api from '@portico/contract'
import { signedIn } from '../accounts/sessions.ts'
import type { Tx } from '../operations/transaction.ts'
import type { ChannelPlace } from '../operations/authorize.ts'

export async function getPermissions(
  tx: Tx,
  _input: Input<typeof api.getPermissions>,
  { ownerId, rank, roles, rights }: ChannelPlace,
): Promise<OwnPermissions> {
  return {
    isOwner: signedIn(tx).id === ownerId,
    rank,
    roleIds: roles.map(({ id }) => id),
    rights: RIGHTS.filter((right) => rights.has(right)),
  }
}
