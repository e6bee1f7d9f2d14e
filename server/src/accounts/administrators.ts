import { sql } from 'kysely'
import type { Tx } from '../operations/transaction.ts'

/** Whether the portal would be left to nobody. Those who are kept out look after nothing. */
export async function isLastAdministrator(tx: Tx, accountId: string): Promise<boolean> {
  const { rows } = await sql<{ last: boolean }>`
    SELECT bool_and(id = ${accountId}::uuid) AS last
    FROM accounts WHERE is_administrator AND disabled_at IS NULL`.execute(tx.db)
  return rows[0]?.last ?? false
}

/** Who is an administrator changes one at a time: two who step down at once must not both find the other still there. */
export async function lockAdministrators(tx: Tx): Promise<void> {
  await sql`SELECT FROM instance FOR UPDATE`.execute(tx.db)
}
