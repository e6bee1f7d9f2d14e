import { sql, type Kysely } from 'kysely'
import type { Tables } from '../db/tables.ts'

/** Long enough for a code to be exchanged: a grant without a token after that is unused. */
const UNUSED_GRANT_HOURS = 24

/** Deletes expired rows and unused grants. */
export async function sweepSignIns(db: Kysely<Tables>): Promise<void> {
  const now = sql<string>`now()`
  await db.deleteFrom('oauth_tokens').where('expires_at', '<', now).execute()
  await db.deleteFrom('oauth_sessions').where('expires_at', '<', now).execute()
  await db.deleteFrom('oauth_interactions').where('expires_at', '<', now).execute()
  await sql`DELETE FROM oauth_grants g
    WHERE g.created_at < now() - make_interval(hours => ${UNUSED_GRANT_HOURS})
      AND NOT EXISTS (SELECT FROM oauth_tokens t WHERE t.grant_id = g.id)`.execute(db)
}
