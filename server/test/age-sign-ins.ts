import { sql } from 'kysely'
import type { Person } from './person.ts'
import type { TestServer } from './start-server.ts'

/** Moves a person's codes, tokens and grants into the past. */
export async function ageSignIns(server: TestServer, { id }: Person, seconds: number): Promise<void> {
  const ago = sql`make_interval(secs => ${seconds})`
  const own = sql`(SELECT id FROM oauth_grants WHERE account_id = ${id}::uuid)`
  const { kysely } = server.services.database
  await sql`UPDATE oauth_tokens SET expires_at = expires_at - ${ago}, consumed_at = consumed_at - ${ago}
    WHERE grant_id IN ${own}`.execute(kysely)
  await sql`UPDATE oauth_grants SET expires_at = expires_at - ${ago}, created_at = created_at - ${ago}
    WHERE account_id = ${id}::uuid`.execute(kysely)
}
