import { LIMITS, type SessionEndReason } from '@portico/contract'
import { sql, type Kysely, type RawBuilder } from 'kysely'
import { DELETE_BATCH, deleteInBatches, inBatches, type Sweep } from '../db/delete-in-batches.ts'
import type { Tables } from '../db/tables.ts'

/** For how many days the reason can be read. */
const KEPT_DAYS = 30

/** When a session expires that isn't used again. */
export const EXPIRES_AT = sql<string>`last_used_at + make_interval(secs => ${sql.lit(LIMITS.sessionLife)})`

/** A session that wasn't used for too long. */
export const IS_EXPIRED = sql<boolean>`last_used_at <= now() - make_interval(secs => ${sql.lit(LIMITS.sessionLife)})`

/**
 * Ends the sessions of an account, or only those that match the condition, and records when and why for the holders of their
 * tokens. Returns how many ended.
 */
export async function deleteSessions(
  db: Kysely<Tables>,
  accountId: string,
  reason: SessionEndReason,
  condition: RawBuilder<unknown> = sql`true`,
): Promise<number> {
  const ended = await endSessionsWhere(db, sql`account_id = ${accountId}::uuid AND (${condition})`, reason, sql`now()`)
  if (ended > 0) await deleteOldestEntries(db, accountId)
  return ended
}

/**
 * Ends sessions that weren't used for too long, in batches. Their entries don't have to be counted: all that expire within
 * the time that entries are kept exist at the same time, so they are as limited as sessions.
 */
export async function deleteExpiredSessions({ db, stopping }: Sweep): Promise<void> {
  const batch = sql`ctid = ANY (ARRAY(
    SELECT ctid FROM sessions WHERE ${IS_EXPIRED} LIMIT ${sql.lit(DELETE_BATCH)} FOR UPDATE SKIP LOCKED
  ))`
  await inBatches({ stopping }, () => endSessionsWhere(db, batch, 'expired', EXPIRES_AT))
}

export async function deleteOldSessionEnds(sweep: Sweep): Promise<void> {
  await deleteInBatches(sweep, 'ended_sessions', sql`ended_at < now() - make_interval(days => ${sql.lit(KEPT_DAYS)})`)
}

/** In one statement, so that no session ends without an entry. An entry that exists already prevents nothing. */
async function endSessionsWhere(
  db: Kysely<Tables>,
  condition: RawBuilder<unknown>,
  reason: SessionEndReason,
  endedAt: RawBuilder<string>,
): Promise<number> {
  const { rows } = await sql<{ ended: number }>`
    WITH ended AS (
      DELETE FROM sessions WHERE ${condition} RETURNING token_hash, account_id, ${endedAt} AS ended_at
    ), entries AS (
      INSERT INTO ended_sessions (token_hash, account_id, reason, ended_at)
      SELECT token_hash, account_id, ${reason}::text, ended_at FROM ended
      ON CONFLICT DO NOTHING
    )
    SELECT count(*)::int AS ended FROM ended`.execute(db)
  return rows[0]?.ended ?? 0
}

/** Keeps as many entries of an account as it can have sessions. Those that someone else is deleting are skipped. */
async function deleteOldestEntries(db: Kysely<Tables>, accountId: string): Promise<void> {
  await sql`
    DELETE FROM ended_sessions WHERE token_hash = ANY (ARRAY(
      SELECT token_hash FROM ended_sessions WHERE token_hash = ANY (ARRAY(
        SELECT token_hash FROM ended_sessions WHERE account_id = ${accountId}::uuid
        ORDER BY ended_at DESC OFFSET ${sql.lit(LIMITS.sessions)}
      )) FOR UPDATE SKIP LOCKED
    ))`.execute(db)
}
