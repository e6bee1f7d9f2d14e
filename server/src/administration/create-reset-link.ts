import type { Input, Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { lockAdministrators } from '../accounts/administrators.ts'
import { replaceResetLink } from '../accounts/reset-link.ts'
import { Refusal } from '../operations/refusal.ts'
import type { Services } from '../operations/services.ts'
import type { Tx } from '../operations/transaction.ts'
import { loadPerson } from './people.ts'

export async function createResetLink(
  tx: Tx,
  input: Input<typeof api.createResetLink>,
  _place: undefined,
  { linkBase }: Pick<Services, 'linkBase'>,
): Promise<Output<typeof api.createResetLink>> {
  // A link must not be made while another administrator disables the account, which deletes links.
  await lockAdministrators(tx)
  const person = await loadPerson(tx, input.personId)
  if (person.disabledAt !== null) {
    throw new Refusal('forbidden', { message: 'This account is disabled.', reason: 'account_disabled' })
  }
  const { code, expiresAt } = await replaceResetLink(tx.db, person.id)
  tx.audit({ action: 'account.reset_link_created', target: person })
  // The code is in the fragment, which browsers don't send: no log of a proxy contains it.
  return { url: `${linkBase()}/reset-password#${code}`, expiresAt }
}
