import { isReadableName, LIMITS, normalizeName } from '@portico/contract'
import type { Kysely } from 'kysely'
import { insertPerson, looksTaken } from '../accounts/account.ts'
import { setAccountStatus } from '../accounts/write-account.ts'
import { hashPassword } from '../accounts/password.ts'
import { personNamed } from '../accounts/person-named.ts'
import { insertAuditEntry } from '../operations/audit-entry.ts'
import { system } from '../operations/actor.ts'
import type { Tables } from '../db/tables.ts'
import type { Run } from './command.ts'
import { EXAMPLE } from './create-admin-example.ts'
import { askPassword } from './password-prompt.ts'
import { withStorage } from './with-storage.ts'

export const runCreateAdmin: Run = async (config, { operands }) => {
  const name = normalizeName(operands.join(' '))
  const { min, max } = LIMITS.accountName
  if ([...name].length < min || [...name].length > max) {
    process.stderr.write(`A name must have ${min}–${max} characters. ${EXAMPLE}\n`)
    return 2
  }
  if (!isReadableName(name)) {
    process.stderr.write('A name must not contain invisible, control or unassigned characters.\n')
    return 2
  }
  return withStorage(config, async ({ kysely }) => {
    if (await promote(kysely, name)) return 0
    if (await looksTaken(kysely, name)) {
      process.stderr.write(`${name} looks too much like someone else’s name. Choose another one.\n`)
      return 2
    }
    // Outside of any transaction: typing a password may take longer than a transaction may be idle.
    const passwordHash = await hashPassword(await askPassword())
    await kysely.transaction().execute(async (db) => {
      const { id } = await insertPerson({ db }, { name, passwordHash, isAdministrator: true })
      await note(db, { id, name })
    })
    process.stdout.write(`Created the administrator ${name}.\n`)
    return 0
  })
}

async function promote(kysely: Kysely<Tables>, name: string): Promise<boolean> {
  const person = await kysely.transaction().execute(async (db) => {
    const existing = await personNamed(db, name).select(['id', 'name']).forUpdate().executeTakeFirst()
    if (!existing) return undefined
    await setAccountStatus(db, existing.id, { isAdministrator: true })
    await note(db, existing)
    return existing
  })
  if (person) process.stdout.write(`${person.name} is now an administrator.\n`)
  return person !== undefined
}

async function note(db: Kysely<Tables>, target: { id: string; name: string }): Promise<void> {
  await insertAuditEntry(db, system, { action: 'administrator.created', target }).execute()
}
