import type { Services } from '../operations/services.ts'
import { Refusal, wrongField } from '../operations/refusal.ts'
import { verifyPassword } from './password.ts'
import { byPerson, countAttempt } from './sign-in-throttle.ts'

/** Verifies the password of a signed-in person. Returns its hash, which shows later whether it was changed meanwhile. */
export async function provePassword(
  services: Services,
  accountId: string,
  field: string,
  password: string,
): Promise<string> {
  const attempt = await countAttempt(services, [byPerson(accountId)])
  const account = await services.database.kysely
    .selectFrom('accounts')
    .select('password_hash')
    .where('id', '=', accountId)
    .executeTakeFirst()
  if (!account?.password_hash) throw new Refusal('unauthorized')
  if (!(await verifyPassword(password, account.password_hash))) {
    throw wrongField(field, 'isn’t the current password', 'wrong_password')
  }
  await attempt.forgive()
  return account.password_hash
}
