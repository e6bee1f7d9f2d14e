import { sql } from 'kysely'
import { DELETE_BATCH, deleteInBatches, type Sweep } from '../db/delete-in-batches.ts'

/** Long enough for a code to be exchanged: a grant without a token after that is unused. */
const UNUSED_GRANT_HOURS = 24

/** Deletes expired rows and unused grants. */
export async function sweepSignIns(sweep: Sweep): Promise<void> {
  const isExpired = sql`expires_at < now()`
  await deleteInBatches(sweep, 'oauth_tokens', isExpired)
  await deleteInBatches(sweep, 'oauth_sessions', isExpired)
  await deleteInBatches(sweep, 'oauth_interactions', isExpired)
  await deleteUnusedGrants(sweep)
}

/** The last grant that was looked at. */
interface Page {
  readonly createdAt: string
  readonly id: string
}

/** Looks at each grant once, in pages: most of them are in use, and a search for the others would pass all of those every time. */
async function deleteUnusedGrants({ db, stopping }: Sweep): Promise<void> {
  let after: Page = { createdAt: '-infinity', id: '' }
  for (;;) {
    const { rows } = await sql<Page>`
      WITH page AS MATERIALIZED (
        SELECT id, created_at FROM oauth_grants
        WHERE (created_at, id) > (${after.createdAt}::timestamptz, ${after.id})
          AND created_at < now() - make_interval(hours => ${UNUSED_GRANT_HOURS})
        ORDER BY created_at, id LIMIT ${sql.lit(DELETE_BATCH)}
      ), unused AS (
        DELETE FROM oauth_grants g USING page
        WHERE g.id = page.id AND NOT EXISTS (SELECT FROM oauth_tokens t WHERE t.grant_id = g.id)
      )
      SELECT created_at::text AS "createdAt", id FROM page ORDER BY page.created_at DESC, id DESC LIMIT 1`.execute(db)
    const [last] = rows
    if (!last || stopping?.aborted) return
    after = last
  }
}
