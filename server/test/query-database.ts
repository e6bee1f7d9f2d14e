import { Client } from 'pg'

/** Runs one statement on a separate connection. */
export async function queryDatabase(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

/** The same on a server's database, for statements that the server itself would never send. */
export async function queryDatabaseOf(
  { services }: { readonly services: { readonly config: { readonly DATABASE_URL: string | null } } },
  sql: string,
): Promise<Record<string, unknown>[]> {
  return queryDatabase(services.config.DATABASE_URL ?? '', sql)
}

/** The address of another database on the same server. */
export function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}
