import { createHmac, timingSafeEqual } from 'node:crypto'
import type * as api from '@portico/contract'
import { sql, type Kysely } from 'kysely'
import type { Tables } from '../db/tables.ts'
import type { OwnTransactions } from '../operations/perform.ts'
import { Refusal } from '../operations/refusal.ts'
import type { Secret } from '../secrets/secret.ts'
import { run } from '../operations/transaction.ts'
import { insertPerson } from './account.ts'
import { instanceFacts } from './instance.ts'
import { deviceToken } from './known-device.ts'
import { hashPassword } from './password.ts'
import { byAddress, countAttempt } from './sign-in-throttle.ts'
import { startSession } from './start-session.ts'

/**
 * The code for creating the first administrator, printed where only the operator can read it. Derived, not stored:
 * every process prints the same code, and it is useless once there is an administrator.
 */
export function setUpCode(secret: Secret): string {
  return createHmac('sha256', secret.key('first administrator')).update('set-up').digest('hex').slice(0, 20)
}

export const setUp: OwnTransactions<typeof api.setUp> = {
  ownTransactions: async (services, actor, input) => {
    if (actor.kind !== 'nobody') throw new Error('set-up requires someone who is not signed in')
    const attempt = await countAttempt(services, [byAddress(actor.address)])
    if (!sameCode(input.code, setUpCode(services.secret))) {
      throw new Refusal('forbidden', { message: 'That isn’t the set-up code.', reason: 'wrong_set_up_code' })
    }
    await attempt.forgive()

    await refuseWhenSetUp(services.database.kysely)
    const passwordHash = await hashPassword(input.password)
    const outcome = await run(services, actor, async (tx) => {
      await sql`LOCK TABLE instance IN EXCLUSIVE MODE`.execute(tx.db)
      await refuseWhenSetUp(tx.db)
      const account = await insertPerson(tx, { ...input, passwordHash, isAdministrator: true })
      tx.audit({ action: 'administrator.created', target: account })
      await startSession(tx, account.id)
      return { account }
    })
    return { ...outcome, device: deviceToken(services.secret, { id: outcome.result.account.id, passwordHash }) }
  },
}

async function refuseWhenSetUp(db: Kysely<Tables>): Promise<void> {
  const { needsSetUp } = await instanceFacts(db)
  if (needsSetUp) return
  throw new Refusal('forbidden', { message: 'The portal is set up already.', reason: 'set_up_done' })
}

function sameCode(given: string, code: string): boolean {
  const cleaned = Buffer.from(given.trim().toLowerCase())
  const expected = Buffer.from(code)
  return cleaned.length === expected.length && timingSafeEqual(cleaned, expected)
}
