import { Client, type ClientConfig } from 'pg'

/** The open connections of a PostgreSQL server, without the one that asks. */
export async function countSessions(config: ClientConfig): Promise<number> {
  const client = new Client(config)
  await client.connect()
  try {
    const { rows } = await client.query<{ count: number }>(
      `SELECT count(*)::integer AS count FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`,
    )
    return rows[0]?.count ?? 0
  } finally {
    await client.end()
  }
}
