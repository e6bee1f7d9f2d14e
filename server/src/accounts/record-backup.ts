import type { Client } from 'pg'

/** For the health page and the metrics. A database that isn't migrated yet has no place for it. */
export async function recordBackup(client: Client): Promise<void> {
  const { rowCount } = await client.query(
    `SELECT FROM information_schema.columns WHERE table_name = 'instance' AND column_name = 'last_backup_at'`,
  )
  if (rowCount) await client.query('UPDATE instance SET last_backup_at = now()')
}
