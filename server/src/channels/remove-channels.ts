import type { Pool } from 'pg'
import { removeInBackground } from '../operations/remove-in-background.ts'
import type { Services } from '../operations/services.ts'

const BATCH = 1000

/**
 * The tables with rows for every member, or for everything that ever happened in a channel; those that refer to others first.
 * A cascading foreign key would remove all of them in one statement, which takes minutes in a large channel.
 */
const LARGE = [
  'member_rooms',
  'mentions',
  'member_roles',
  'channel_notifications',
  'channel_positions',
  'members',
  'kicks',
  'saved_mutes',
  'bans',
  'audit_log',
]

/** Removes deleted channels. Their rooms go with the last step, and the messages in a job of their own. */
export function startRemovingChannels(services: Pick<Services, 'database' | 'log'>): () => Promise<void> {
  return removeInBackground(services, 'deleted channels', () => removeBatch(services.database.pool))
}

async function removeBatch(pool: Pool): Promise<{ more: boolean }> {
  const { rows } = await pool.query<{ id: string }>('SELECT id FROM channels WHERE deleted_at IS NOT NULL LIMIT 1')
  const [channel] = rows
  if (!channel) return { more: false }
  for (const table of LARGE) {
    const { rowCount } = await pool.query(
      `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM ${table} WHERE channel_id = ANY (ARRAY[$1::uuid]) ORDER BY channel_id LIMIT ${BATCH}))`,
      [channel.id],
    )
    if (rowCount !== null && rowCount > 0) return { more: true }
  }
  await pool.query('DELETE FROM channels WHERE id = $1 AND deleted_at IS NOT NULL', [channel.id])
  return { more: true }
}
