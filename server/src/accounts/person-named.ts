import { sql, type Kysely } from 'kysely'
import type { Tables } from '../db/tables.ts'

/**
 * The person of this name, without regard to case. The conditions are those of the index `accounts_person_name`, word for
 * word: with the kind as a parameter, a plan that is made once cannot use it and reads all accounts.
 */
export function personNamed(db: Kysely<Tables>, name: string) {
  return db
    .selectFrom('accounts')
    .where(sql<boolean>`lower(name) = lower(${name})`)
    .where(sql<boolean>`kind = 'person'`)
    .where('deleted_at', 'is', null)
}
