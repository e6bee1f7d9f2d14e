import type * as api from '@portico/contract'
import type { OwnTransactions } from '../operations/perform.ts'
import { Refusal } from '../operations/refusal.ts'
import { run } from '../operations/transaction.ts'
import { deviceToken } from './known-device.ts'
import { hashPassword } from './password.ts'
import { provePassword } from './prove-password.ts'
import { revokeAccess } from './revoke-access.ts'

export const changePassword: OwnTransactions<typeof api.changePassword> = {
  ownTransactions: async (services, actor, { currentPassword, newPassword }) => {
    if (actor.kind !== 'person') throw new Refusal('unauthorized')
    const proven = await provePassword(services, actor.id, 'currentPassword', currentPassword)
    const replacement = await hashPassword(newPassword)
    const outcome = await run(services, actor, async (tx) => {
      const changed = await tx.db
        .updateTable('accounts')
        .set({ password_hash: replacement })
        .where('id', '=', actor.id)
        .where('password_hash', '=', proven)
        .returning('id')
        .executeTakeFirst()
      // The password was changed, or the account deleted, on another device in the meantime.
      if (!changed) throw new Refusal('unauthorized')
      await revokeAccess(tx.db, services.websiteSignIns, actor.id, {
        reason: 'password_changed',
        exceptSession: actor.sessionId,
      })
      return null
    })
    return { ...outcome, device: deviceToken(services.secret, { id: actor.id, passwordHash: replacement }) }
  },
}
