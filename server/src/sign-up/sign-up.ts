import { LIMITS, type Input } from '@portico/contract'
import type * as api from '@portico/contract'
import type { Kysely } from 'kysely'
import type { Tables } from '../db/tables.ts'
import type { OwnTransactions } from '../operations/perform.ts'
import { requireWorkingInvitation } from '../invitations/invitation.ts'
import { joinByInvitation } from '../invitations/join-by-invitation.ts'
import type { Services } from '../operations/services.ts'
import { Refusal } from '../operations/refusal.ts'
import { run } from '../operations/transaction.ts'
import { insertPerson, refuseTakenName } from '../accounts/account.ts'
import { instanceFacts } from '../accounts/instance.ts'
import { deviceToken } from '../accounts/known-device.ts'
import { networkOf } from '../accounts/network-of.ts'
import { hashPassword } from '../accounts/password.ts'
import { startSession } from '../accounts/start-session.ts'

export const signUp: OwnTransactions<typeof api.signUp> = {
  ownTransactions: async (services, actor, input) => {
    if (actor.kind !== 'nobody') throw new Error('signing up requires someone who is not signed in')
    await takeSignUp(services, actor.address)
    // Checked before the expensive hash, and checked again in the transaction.
    await refuseSignUp(services.database.kysely, input)
    const passwordHash = await hashPassword(input.password)
    const outcome = await run(services, actor, async (tx) => {
      await refuseSignUp(tx.db, input)
      const account = await insertPerson(tx, { ...input, passwordHash })
      if (input.invitation !== undefined) await joinByInvitation(tx, account.id, input.invitation)
      await startSession(tx, account.id)
      return { account }
    })
    return { ...outcome, device: deviceToken(services.secret, { id: outcome.result.account.id, passwordHash }) }
  },
}

async function takeSignUp({ quotas }: Services, address: string): Promise<void> {
  const taken = await quotas.take(`sign-ups from ${networkOf(address)}`, LIMITS.signUpsPerMinute)
  if ('retryAfterSec' in taken) throw new Refusal('tooManyRequests', taken)
}

async function refuseSignUp(db: Kysely<Tables>, { name, invitation }: Input<typeof api.signUp>): Promise<void> {
  await refuseRegistration(db, invitation !== undefined)
  if (invitation !== undefined) await requireWorkingInvitation(db, invitation)
  await refuseTakenName(db, name)
}

async function refuseRegistration(db: Kysely<Tables>, invited: boolean): Promise<void> {
  const { registrationOpen, needsSetUp } = await instanceFacts(db)
  if (needsSetUp) {
    throw new Refusal('forbidden', { message: 'Set the portal up first.', reason: 'set_up_first' })
  }
  if (!registrationOpen && !invited) {
    throw new Refusal('forbidden', { message: 'Registration is by invitation.', reason: 'registration_closed' })
  }
}
