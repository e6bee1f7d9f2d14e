import type * as api from '@portico/contract'
import type { Kysely } from 'kysely'
import type { Tables } from '../db/tables.ts'
import type { Outside } from '../http/perform.ts'
import { joinByInvitation } from '../invitations/join-by-invitation.ts'
import { Refusal } from '../refusal.ts'
import { run } from '../transaction.ts'
import { insertPerson } from './account.ts'
import { instanceFacts } from './instance.ts'
import { hashPassword } from './password.ts'
import { startSession } from './start-session.ts'

export const signUp: Outside<typeof api.signUp> = {
  outside: async (parts, actor, input) => {
    const invited = input.invitation !== undefined
    // Before the costly hash as well: a closed door must not be a way to keep the portal busy.
    await refuseRegistration(parts.database.kysely, invited)
    const passwordHash = await hashPassword(input.password)
    return run(parts, actor, async (tx) => {
      await refuseRegistration(tx.db, invited)
      const account = await insertPerson(tx, { ...input, passwordHash })
      if (input.invitation !== undefined) await joinByInvitation(tx, account.id, input.invitation)
      await startSession(tx, account.id)
      return { account }
    })
  },
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
