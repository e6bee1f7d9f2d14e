import { sql } from 'kysely'
import type { Tx } from './transaction.ts'

/**
 * Changes to a channel happen one after another, and its row is the first lock that each of them takes: what one has
 * checked stays true until it commits, and no two can end up waiting for each other.
 */
export async function lockChannel(tx: Pick<Tx, 'db'>, channelId: string): Promise<void> {
  await sql`SELECT FROM channels WHERE id = ${channelId}::uuid FOR NO KEY UPDATE`.execute(tx.db)
}
