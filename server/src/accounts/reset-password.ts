import type * as api from '@portico/contract'
import type { Actor } from '../operations/actor.ts'
import type { OwnTransactions } from '../operations/perform.ts'
import type { Services } from '../operations/services.ts'
import { run } from '../operations/transaction.ts'
import { deviceToken } from './known-device.ts'
import { hashPassword } from './password.ts'
import { accountOfResetLink, resetLinkNotValid, useResetLink } from './reset-link.ts'
import { revokeAccess } from './revoke-access.ts'
import { byAddress, countAttempt, forgetFailuresOf } from './sign-in-throttle.ts'
import { startSession } from './start-session.ts'
import { setPasswordHash } from './write-account.ts'

export const checkResetLink: OwnTransactions<typeof api.checkResetLink> = {
  ownTransactions: async (services, actor, { code }) => ({ result: { name: await nameOf(services, actor, code) } }),
}

export const resetPassword: OwnTransactions<typeof api.resetPassword> = {
  ownTransactions: async (services, actor, { code, newPassword }) => {
    // Checked before the expensive hash, and checked again in the transaction.
    await nameOf(services, actor, code)
    const passwordHash = await hashPassword(newPassword)
    const outcome = await run(services, actor, async (tx) => {
      // The account is locked first, like by an administrator who disables it meanwhile.
      const account = await accountOfResetLink(tx.db, code).forUpdate('accounts').executeTakeFirst()
      if (!account || !(await useResetLink(tx.db, code))) throw resetLinkNotValid()
      await setPasswordHash(tx.db, account.id, passwordHash)
      await revokeAccess(tx.db, services.websiteSignIns, account.id, { reason: 'password_changed' })
      await forgetFailuresOf(tx.db, account.name)
      tx.audit({ action: 'account.password_reset', target: account })
      await startSession(tx, account.id)
      return { account }
    })
    return { ...outcome, device: deviceToken(services.secret, { id: outcome.result.account.id, passwordHash }) }
  },
}

/** The person whose password the link sets. Links that don't work count as failed sign-ins from that network. */
async function nameOf(services: Services, actor: Actor, code: string): Promise<string> {
  if (actor.kind !== 'nobody') throw new Error('a reset link is for someone who is not signed in')
  const attempt = await countAttempt(services, [byAddress(actor.address)])
  const account = await accountOfResetLink(services.database.kysely, code).executeTakeFirst()
  if (!account) throw resetLinkNotValid()
  await attempt.forgive()
  return account.name
}
