import { hashPassword } from '../accounts/password.ts'
import { revokeAccess } from '../accounts/revoke-access.ts'
import { personNamed } from '../accounts/person-named.ts'
import { forgetFailuresOf } from '../accounts/sign-in-throttle.ts'
import { setPasswordHash } from '../accounts/write-account.ts'
import { websiteSignIns } from '../sign-in/website-sign-ins.ts'
import type { Run } from './command.ts'
import { askPassword } from './password-prompt.ts'
import { withStorage } from './with-storage.ts'

export const runResetPassword: Run = async (config, { operands }) => {
  const name = operands.join(' ').trim()
  return withStorage(config, async ({ kysely }) => {
    const person = await personNamed(kysely, name).select(['id', 'name']).executeTakeFirst()
    if (!person) {
      process.stderr.write(`There is no one called ${name}.\n`)
      return 2
    }
    const passwordHash = await hashPassword(await askPassword())
    await kysely.transaction().execute(async (db) => {
      await setPasswordHash(db, person.id, passwordHash)
      await revokeAccess(db, websiteSignIns, person.id, { reason: 'password_set_by_administrator' })
      await forgetFailuresOf(db, person.name)
    })
    process.stdout.write(`${person.name} has a new password and is signed out everywhere.\n`)
    return 0
  })
}
