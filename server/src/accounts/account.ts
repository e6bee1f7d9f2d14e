import type { Account } from '@portico/contract'
import { sql, type Kysely, type RawBuilder } from 'kysely'
import type { Tables } from '../db/tables.ts'
import type { Tx } from '../operations/transaction.ts'
import { newId } from '../operations/ids.ts'
import { initialsFile } from '../pictures/keep-picture.ts'
import { cannot } from '../operations/refusal.ts'
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

/** An account as its owner sees it. */
export async function loadAccount(db: Kysely<Tables>, id: string): Promise<Account> {
  return db.selectFrom('accounts').select(ACCOUNT).where('id', '=', id).executeTakeFirstOrThrow()
}

export interface NewPerson {
  readonly name: string
  readonly passwordHash: string
  readonly isAdministrator?: boolean
  readonly locale?: 'en' | 'ru' | undefined
}

export async function insertPerson({ db }: Pick<Tx, 'db'>, person: NewPerson): Promise<Account> {
  const id = newId()
  try {
    return await db
      .insertInto('accounts')
      .values({
        id,
        kind: 'person',
        name: person.name,
        name_skeleton: skeletonOf(person.name),
        avatar: initialsFile(id),
        password_hash: person.passwordHash,
        is_administrator: person.isAdministrator ?? false,
        locale: person.locale ?? null,
      })
      .returning(ACCOUNT)
      .executeTakeFirstOrThrow()
  } catch (error) {
    throw nameRefusal(error)
  }
}

/** The look-alike skeleton of a name; no two people may have the same one. */
export function skeletonOf(name: string): RawBuilder<string> {
  return sql<string>`name_skeleton(${name}::text)`
}

/** Whether another person's name looks like this one. `person` is a literal so that the partial index is used. */
export async function looksTaken(db: Kysely<Tables>, name: string): Promise<boolean> {
  const { rows } = await sql`SELECT FROM accounts
    WHERE kind = 'person' AND deleted_at IS NULL AND name_skeleton = ${skeletonOf(name)}`.execute(db)
  return rows.length > 0
}

/** Answers early; the unique indexes make the final decision. */
export async function refuseTakenName(db: Kysely<Tables>, name: string): Promise<void> {
  if (await personNamed(db, name).select('id').executeTakeFirst()) throw nameTaken()
  if (await looksTaken(db, name)) throw nameAlike()
}

/** The refusal for a name that violated a unique index; undefined for any other error. */
export function nameRefusal(error: unknown): unknown {
  if (isUniqueViolation(error, 'accounts_person_name')) return nameTaken()
  return isUniqueViolation(error, 'accounts_person_skeleton') ? nameAlike() : error
}

function nameTaken(): Error {
  return cannot('This name is taken.', 'name_taken')
}

export function nameAlike(): Error {
  return cannot('This name looks like one that’s already taken.', 'name_alike')
}
