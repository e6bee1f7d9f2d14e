import { sql } from 'kysely'
import { Refusal } from '../operations/refusal.ts'
import type { Tx } from '../operations/transaction.ts'

/**
 * Taken before something new is hung on an account: whoever deletes it meanwhile waits and finds the new thing, and
 * whoever comes after the deletion is refused. `alone`: also one after another, to count what is there already.
 */
export async function lockAccount(tx: Tx, accountId: string, how: 'shared' | 'alone' = 'shared'): Promise<void> {
  const lock = how === 'alone' ? sql`FOR NO KEY UPDATE` : sql`FOR KEY SHARE`
  const { rows } = await sql`
    SELECT FROM accounts WHERE id = ${accountId}::uuid AND deleted_at IS NULL ${lock}`.execute(tx.db)
  if (rows.length === 0) throw new Refusal('unauthorized')
}
