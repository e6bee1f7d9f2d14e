import { DEFAULT_ROLES, type Input } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import { uniqueIds } from '../operations/ids.ts'
import type { ChannelPlace } from '../operations/authorize.ts'
import { outranked } from '../operations/access-refusals.ts'
import { cannot } from '../operations/refusal.ts'
import type { Tx } from '../operations/transaction.ts'
import { toRoles } from './list-roles.ts'

const { CHANNEL_MEMBER, CHANNEL_MODERATOR } = DEFAULT_ROLES

export async function sortRoles(tx: Tx, input: Input<typeof api.sortRoles>, channel: ChannelPlace): Promise<null> {
  const { channelId } = channel
  const roles = (await toRoles(tx, channelId)).filter(
    ({ systemName }) => systemName === 'CUSTOM' || systemName === 'CHANNEL_MODERATOR',
  )
  const moderator = roles.find(({ systemName }) => systemName === 'CHANNEL_MODERATOR')
  if (!moderator) throw new Error('a channel without a moderator role')

  const named = uniqueIds('roleIds', input.roleIds)
  const order = named.includes(moderator.id) ? named : [moderator.id, ...named]
  const known = new Map(roles.map((role) => [role.id, role]))
  if (order.length !== roles.length || !order.every((id) => known.has(id))) {
    throw cannot('The list must contain every custom role of the channel, and no others.', 'other_roles')
  }

  const fixed = roles.filter((role) => role.rank >= channel.rank)
  if (fixed.some((role, place) => order[place] !== role.id)) {
    throw outranked('You can only reorder roles below your own.')
  }
  if (order.every((id, place) => roles[place]?.id === id)) return null

  const middle = order.indexOf(moderator.id)
  const above = ranked(order.slice(0, middle), CHANNEL_MODERATOR.rank)
  const below = ranked(order.slice(middle + 1), CHANNEL_MEMBER.rank)
  const ranks = [...above, ...below]
  await sql`
    UPDATE roles SET rank = given.rank
    FROM unnest(${ranks.map(({ id }) => id)}::uuid[], ${ranks.map(({ rank }) => rank)}::int[]) AS given (id, rank)
    WHERE roles.id = given.id`.execute(tx.db)
  tx.audit({ action: 'roles.sorted', channelId, details: { order: order.map((id) => known.get(id)?.name) } })
  return null
}

/** Assigns the ranks just above a floor, highest role first. */
function ranked(ids: readonly string[], floor: number): { id: string; rank: number }[] {
  return ids.map((id, place) => ({ id, rank: floor + ids.length - place }))
}
