import type { Pool } from 'pg'

/**
 * Runs work that one node does for all, unless another one is doing it. The lock ends with the connection, so a node that dies
 * leaves it; the work must allow for a second node if only the connection is lost.
 */
export async function runAlone(pool: Pool, lock: number, work: () => Promise<void>): Promise<void> {
  const client = await pool.connect()
  let failure: Error | boolean = true
  try {
    const { rows } = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1) AS taken', [lock])
    if (rows[0]?.taken) {
      await work()
      await client.query('SELECT pg_advisory_unlock($1)', [lock])
    }
    failure = false
  } finally {
    // A connection that failed is closed, and the lock with it.
    client.release(failure)
  }
}
