import { sql } from 'kysely'
import { Refusal } from '../operations/refusal.ts'
import type { Tx } from '../operations/transaction.ts'

/**
 * Locks an account before something that belongs to it is created: a concurrent deletion waits and sees the new row,
 * and a request after the deletion is refused. `alone` also serializes requests, to count existing rows.
 */
export async function lockAccount(tx: Tx, accountId: string, how: 'shared' | 'alone' = 'shared'): Promise<void> {
  const lock = how === 'alone' ? sql`FOR NO KEY UPDATE` : sql`FOR KEY SHARE`
  const { rows } = await sql`
    SELECT FROM accounts WHERE id = ${accountId}::uuid AND deleted_at IS NULL ${lock}`.execute(tx.db)
  if (rows.length === 0) throw new Refusal('unauthorized')
}
