import type { Output } from '@portico/contract'
import type * as api from '@portico/contract'
import type { Actor, User } from '../operations/actor.ts'
import { Refusal } from '../operations/refusal.ts'
import { TOP_ROLE } from '../roles/top-role.ts'
import type { Services } from '../operations/services.ts'
import type { Tx } from '../operations/transaction.ts'

type Channel = Output<typeof api.listCurrentUserChannels>['channels'][number]

const CHANNELS = `
  SELECT h.id, h.name, h.image, h.avatar_version AS "avatarVersion", ${TOP_ROLE} AS role
  FROM members m JOIN channels h ON h.id = m.channel_id AND h.deleted_at IS NULL
  WHERE m.account_id = $1::uuid
  ORDER BY m.joined_at, h.id`

/** Everything it returns was read with the token. */
export async function getCurrentUser({ actor }: Tx): Promise<Output<typeof api.getCurrentUser>> {
  const { id, name, avatar, avatarVersion, scopes } = userOf(actor)
  return { id, name, avatar, avatarVersion, scopes: [...scopes] }
}

export async function listCurrentUserChannels(
  { actor }: Tx,
  _input: unknown,
  _place: undefined,
  { database: { pool } }: Pick<Services, 'database'>,
): Promise<Output<typeof api.listCurrentUserChannels>> {
  const values = [userOf(actor).id]
  const { rows } = await pool.query<Channel>({ name: 'user_channels', text: CHANNELS, values })
  return { channels: rows }
}

/** The person of an operation that only websites can call. */
function userOf(actor: Actor): User {
  if (actor.kind !== 'user') throw new Refusal('unauthorized')
  return actor
}
