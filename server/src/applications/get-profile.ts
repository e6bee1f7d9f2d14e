import type { Profile } from '@portico/contract'
import { batchReads } from '../db/batch.ts'
import { Refusal } from '../operations/refusal.ts'
import { TOP_ROLE } from '../roles/top-role.ts'
import type { Services } from '../operations/services.ts'
import type { Tx } from '../operations/transaction.ts'
import { botOf } from '../operations/bot-of.ts'

export const READ_PROFILES = `
  SELECT
    json_build_object('id', p.id, 'name', p.name, 'owner', json_build_object('id', o.id, 'name', o.name)) AS application,
    json_build_object('id', b.id, 'name', b.name, 'avatar', b.avatar, 'avatarVersion', b.avatar_version) AS bot,
    coalesce((SELECT json_agg(json_build_object('id', h.id, 'name', h.name, 'role', ${TOP_ROLE}) ORDER BY h.name, h.id)
      FROM members m JOIN channels h ON h.id = m.channel_id AND h.deleted_at IS NULL WHERE m.account_id = b.id), '[]') AS channels
  FROM applications p
  JOIN accounts o ON o.id = p.owner_id
  JOIN accounts b ON b.id = p.bot_id
  WHERE p.id = ANY ($1::uuid[])`

const readProfile = batchReads<Profile>(async (pool, keys) => {
  const { rows } = await pool.query<Profile>({ name: 'profiles', text: READ_PROFILES, values: [keys] })
  return new Map(rows.map((profile) => [profile.application.id, profile]))
})

export async function getProfile(
  { actor }: Tx,
  _input: unknown,
  _place: undefined,
  { database: { pool, accessCache } }: Pick<Services, 'database'>,
): Promise<Profile> {
  const { applicationId } = botOf(actor)
  const load = () => readProfile(pool, applicationId)
  const profile = await accessCache.getOrLoad(readProfile, applicationId, load)
  // Deleted since its key was accepted.
  if (!profile) throw new Refusal('unauthorized')
  return profile
}
