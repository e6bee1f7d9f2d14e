import { Client } from 'pg'

/** Runs one statement on a connection of its own. */
export async function onServer(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

/** The same on the database of a server, for what a test looks at and the program never would. */
export async function onDatabaseOf(
  { parts }: { readonly parts: { readonly config: { readonly DATABASE_URL: string | null } } },
  sql: string,
): Promise<Record<string, unknown>[]> {
  return onServer(parts.config.DATABASE_URL ?? '', sql)
}

/** The address of another database on the same server. */
export function databaseAt(serverUrl: string, name: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}
