import { normalizeName } from '@portico/contract'
import type * as api from '@portico/contract'
import type { Nobody } from '../operations/actor.ts'
import type { OwnTransactions } from '../operations/perform.ts'
import type { Services } from '../operations/services.ts'
import { Refusal } from '../operations/refusal.ts'
import { run } from '../operations/transaction.ts'
import { ACCOUNT } from './account.ts'
import { deviceToken, knownDevice } from './known-device.ts'
import { verifyNothing, verifyPassword } from './password.ts'
import { personNamed } from './person-named.ts'
import { byAccount, byAccountAndNetwork, byAddress, byKnownDevice, countAttempt } from './sign-in-throttle.ts'
import type { Counted } from './sign-in-throttle.ts'
import { startSession } from './start-session.ts'

export const signIn: OwnTransactions<typeof api.signIn> = {
  ownTransactions: async (services, actor, { name: typed, password }) => {
    if (actor.kind !== 'nobody') throw new Error('signing in requires someone who is not signed in')
    // Names stored before normalization are found as they were typed.
    const find = (name: string) =>
      personNamed(services.database.kysely, name)
        .select([...ACCOUNT, 'password_hash', 'disabled_at'])
        .executeTakeFirst()
    const name = normalizeName(typed)
    const found = (await find(typed.trim())) ?? (await find(name))

    const attempt = await countAttempt(services, countedOf(services, actor, name, found))
    if (!found?.password_hash || !(await verifyPassword(password, found.password_hash))) {
      if (!found) await verifyNothing(password)
      throw wrongCredentials()
    }

    await attempt.forgive()
    const { password_hash, disabled_at, ...account } = found
    if (disabled_at !== null) throw disabledAccount()
    const outcome = await run(services, actor, async (tx) => {
      // Changing a password ends all sessions: one that is being created with the old password must not survive.
      const unchanged = await tx.db
        .selectFrom('accounts')
        .select('id')
        .where('id', '=', account.id)
        .where('password_hash', '=', password_hash)
        .where('disabled_at', 'is', null)
        .forShare()
        .executeTakeFirst()
      if (!unchanged) throw wrongCredentials()
      await startSession(tx, account.id)
      return { account }
    })
    return { ...outcome, device: deviceToken(services.secret, { id: account.id, passwordHash: password_hash }) }
  },
}

interface Found {
  readonly id: string
  readonly password_hash: string | null
}

/** The counters that a failure counts against; the same for unknown names, so that they don't reveal which exist. */
function countedOf(
  { secret }: Services,
  { address, deviceToken: token }: Nobody,
  name: string,
  found?: Found,
): Counted[] {
  if (found?.password_hash && token !== undefined) {
    const deviceId = knownDevice(secret, { id: found.id, passwordHash: found.password_hash }, token)
    if (deviceId !== undefined) return [byKnownDevice(found.id, deviceId)]
  }
  return [byAccountAndNetwork(name, address), byAccount(name), byAddress(address)]
}

/** Revealed only to someone who knows the password. */
function disabledAccount(): Refusal {
  return new Refusal('forbidden', {
    message: 'An administrator disabled this account.',
    reason: 'account_disabled',
  })
}

function wrongCredentials(): Refusal {
  return new Refusal('unauthorized', { message: 'Wrong name or password.', reason: 'wrong_credentials' })
}
