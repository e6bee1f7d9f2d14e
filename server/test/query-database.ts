import { Client } from 'pg'

/** Runs one statement on a connection of its own. */
export async function queryDatabase(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

/** The same on the database of a server, for what a test looks at and the program never would. */
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
