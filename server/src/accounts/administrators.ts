import { sql } from 'kysely'
import type { Tx } from '../operations/transaction.ts'

/** Whether the portal would be left without an administrator. Disabled accounts don't count. */
export async function isLastAdministrator(tx: Tx, accountId: string): Promise<boolean> {
  const { rows } = await sql<{ last: boolean }>`
    SELECT bool_and(id = ${accountId}::uuid) AS last
    FROM accounts WHERE is_administrator AND disabled_at IS NULL`.execute(tx.db)
  return rows[0]?.last ?? false
}

/** Serializes changes of administrators: two who step down concurrently must not both see the other one remain. */
export async function lockAdministrators(tx: Tx): Promise<void> {
  await sql`SELECT FROM instance FOR UPDATE`.execute(tx.db)
}
