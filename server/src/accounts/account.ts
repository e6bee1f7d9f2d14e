import type { Account } from '@portico/contract'
import type { Kysely } from 'kysely'
import type { Tables } from '../db/tables.ts'
import type { Tx } from '../transaction.ts'
import { newId } from '../ids.ts'
import { initialsFile } from '../pictures/keep-picture.ts'
import { cannot } from '../refusal.ts'
import { isUniqueViolation } from '../db/violations.ts'
import { personNamed } from './person-named.ts'

/** The columns of an account that its owner sees. */
export const ACCOUNT = [
  'id',
  'name',
  'avatar',
  'avatar_version as avatarVersion',
  'is_administrator as isAdministrator',
  'locale',
  'theme',
] as const

export interface NewPerson {
  readonly name: string
  readonly passwordHash: string
  readonly isAdministrator?: boolean
  readonly locale?: 'en' | 'ru' | undefined
}

export async function insertPerson(tx: Tx, person: NewPerson): Promise<Account> {
  const id = newId()
  try {
    return await tx.db
      .insertInto('accounts')
      .values({
        id,
        kind: 'person',
        name: person.name.trim(),
        avatar: initialsFile(id),
        password_hash: person.passwordHash,
        is_administrator: person.isAdministrator ?? false,
        locale: person.locale ?? null,
      })
      .returning(ACCOUNT)
      .executeTakeFirstOrThrow()
  } catch (error) {
    throw isUniqueViolation(error, 'accounts_person_name') ? nameTaken() : error
  }
}

/** For an early answer: the unique index decides. */
export async function refuseTakenName(db: Kysely<Tables>, name: string): Promise<void> {
  if (await personNamed(db, name.trim()).select('id').executeTakeFirst()) throw nameTaken()
}

export function nameTaken(): Error {
  return cannot('This name is taken.', 'name_taken')
}
