import type { Health } from '@portico/contract'
import { sql } from 'kysely'
import type { Tx } from '../transaction.ts'
import { readWebhooks } from '../webhooks/observe-webhooks.ts'

type Counts = Omit<Health, 'version' | 'webhooks' | 'eventLag'> & { readonly top: number }

export async function getHealth(tx: Tx): Promise<Health> {
  const { parts, db } = tx
  // Large tables are estimated: counting their rows would read all of them.
  const { rows } = await sql<Counts>`
    SELECT pg_database_size(current_database()) AS "databaseBytes",
      (SELECT count(*) FROM accounts WHERE kind = 'person' AND deleted_at IS NULL)::int AS people,
      (SELECT count(*) FROM channels)::int AS channels,
      (SELECT count(*) FROM applications)::int AS applications,
      (SELECT count(*) FROM sessions)::int AS sessions,
      greatest(0, (SELECT reltuples FROM pg_class WHERE oid = 'messages'::regclass))::bigint AS messages,
      greatest(0, (SELECT reltuples FROM pg_class WHERE oid = 'events'::regclass))::bigint AS events,
      coalesce((SELECT max(seq) FROM events), 0) AS top`.execute(db)
  const [counts] = rows
  if (!counts) throw new Error('the database counted nothing')
  const { top, ...sizes } = counts
  const { active, off, pending, overdue } = await readWebhooks(parts.database.pool)
  return {
    version: parts.version,
    ...sizes,
    eventLag: Math.max(0, top - parts.eventLog.top),
    webhooks: { active, off, pending, overdueSeconds: Math.round(overdue) },
  }
}
