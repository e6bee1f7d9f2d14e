import type * as api from '@portico/contract'
import type { Outside } from '../http/perform.ts'
import { Refusal, wrongField } from '../refusal.ts'
import { run } from '../transaction.ts'
import { hashPassword, verifyPassword } from './password.ts'
import { endOtherSessions } from './sessions.ts'
import { byPerson, countAttempt } from './sign-in-throttle.ts'

export const changePassword: Outside<typeof api.changePassword> = {
  outside: async (parts, actor, { currentPassword, newPassword }) => {
    if (actor.kind !== 'person') throw new Refusal('unauthorized')
    const attempt = await countAttempt(parts, [byPerson(actor.id)])

    const { password_hash } = await parts.database.kysely
      .selectFrom('accounts')
      .select('password_hash')
      .where('id', '=', actor.id)
      .executeTakeFirstOrThrow()
    if (!password_hash || !(await verifyPassword(currentPassword, password_hash))) {
      throw wrongField('currentPassword', 'is not the current password', 'wrong_password')
    }

    await attempt.forgive()
    const replacement = await hashPassword(newPassword)
    return run(parts, actor, async (tx) => {
      await tx.db.updateTable('accounts').set({ password_hash: replacement }).where('id', '=', actor.id).execute()
      await endOtherSessions(tx)
      return null
    })
  },
}
