import { sql, type Kysely } from 'kysely'
import type { Tables } from '../db/tables.ts'

/**
 * The person with this name, case-insensitively. The conditions repeat those of the index `accounts_person_name`: with the
 * kind as a parameter, a generic plan can't use the index and reads all accounts.
 */
export function personNamed(db: Kysely<Tables>, name: string) {
  return db
    .selectFrom('accounts')
    .where(sql<boolean>`lower(name) = lower(${name})`)
    .where(sql<boolean>`kind = 'person'`)
    .where('deleted_at', 'is', null)
}
