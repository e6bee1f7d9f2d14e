import { sql } from 'kysely'
import { deleteInBatches, type Sweep } from '../db/delete-in-batches.ts'
import { memberOf } from '../operations/actor.ts'
import { newId } from '../operations/ids.ts'
import { Refusal } from '../operations/refusal.ts'
import type { Tx } from '../operations/transaction.ts'

export interface NewBan {
  readonly channelId: string
  readonly accountId: string
  readonly reason: string | undefined
  /** Null: until it is lifted. */
  readonly until: string | null
}

/** A ban `b` that hasn't ended. */
export const isInForce = sql<boolean>`(b.banned_until IS NULL OR b.banned_until > now())`

/** Replaces a ban that has ended. */
export async function recordBan(tx: Tx, { channelId, accountId, reason, until }: NewBan): Promise<void> {
  await sql`
    INSERT INTO bans (id, channel_id, account_id, channel_name, reason, banned_by, banned_until)
    SELECT ${newId()}::uuid, c.id, ${accountId}::uuid, c.name, ${reason || null}, ${memberOf(tx.actor).id}::uuid,
      ${until}::timestamptz
    FROM channels c WHERE c.id = ${channelId}::uuid
    ON CONFLICT (channel_id, account_id) DO UPDATE SET id = excluded.id, channel_name = excluded.channel_name,
      reason = excluded.reason, banned_by = excluded.banned_by, banned_at = now(), banned_until = excluded.banned_until`.execute(
    tx.db,
  )
}

/** Returns whose ban was lifted, or undefined if they weren't banned. */
export async function deleteBan(
  tx: Tx,
  channelId: string,
  accountId: string,
): Promise<{ id: string; name: string } | undefined> {
  const { rows } = await sql<{ id: string; name: string }>`
    DELETE FROM bans b USING accounts a
    WHERE b.channel_id = ${channelId}::uuid AND b.account_id = ${accountId}::uuid AND a.id = b.account_id AND ${isInForce}
    RETURNING a.id, a.name`.execute(tx.db)
  return rows[0]
}

/** Keeps a banned person out, however they try to come in. */
export async function refuseBanned(tx: Tx, channelId: string, accountId: string): Promise<void> {
  const { rows } = await sql`
    SELECT FROM bans b
    WHERE b.channel_id = ${channelId}::uuid AND b.account_id = ${accountId}::uuid AND ${isInForce}`.execute(tx.db)
  if (rows.length > 0) {
    throw new Refusal('forbidden', { message: 'You’re banned from this channel.', reason: 'banned' })
  }
}

export async function deleteExpiredBans(sweep: Sweep): Promise<void> {
  await deleteInBatches(sweep, 'bans', sql`banned_until < now()`)
}
