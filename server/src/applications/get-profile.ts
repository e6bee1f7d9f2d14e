import type { Profile } from '@portico/contract'
import { sql } from 'kysely'
import { topRole } from '../roles/top-role.ts'
import type { Tx } from '../transaction.ts'
import { botOf } from './bot-of.ts'

export async function getProfile(tx: Tx): Promise<Profile> {
  const { rows } = await sql<Profile>`
    SELECT
      json_build_object('id', p.id, 'name', p.name, 'owner', json_build_object('id', o.id, 'name', o.name)) AS application,
      json_build_object('id', b.id, 'name', b.name, 'avatar', b.avatar, 'avatarVersion', b.avatar_version) AS bot,
      coalesce((SELECT json_agg(json_build_object('id', h.id, 'name', h.name, 'role', ${topRole}) ORDER BY h.name, h.id)
        FROM members m JOIN channels h ON h.id = m.channel_id WHERE m.account_id = b.id), '[]') AS channels
    FROM applications p
    JOIN accounts o ON o.id = p.owner_id
    JOIN accounts b ON b.id = p.bot_id
    WHERE p.id = ${botOf(tx.actor).applicationId}::uuid`.execute(tx.db)
  const [profile] = rows
  if (!profile) throw new Error('the application went away while it was asked for')
  return profile
}
