import type { Right } from '@portico/contract'
import { sql } from 'kysely'
import { missingRight, outranked } from '../operations/access-refusals.ts'
import type { ChannelPlace, RoleFacts } from '../operations/authorize.ts'
import { cannot } from '../operations/refusal.ts'
import type { Tx } from '../operations/transaction.ts'

/** The roles with these ids, all of this channel. */
export async function loadRoles(tx: Tx, channelId: string, ids: readonly string[]): Promise<RoleFacts[]> {
  const { rows } = await sql<RoleFacts>`
    SELECT id, system_name AS "systemName", name, color, rank, rights FROM roles
    WHERE channel_id = ${channelId}::uuid AND id = ANY (${ids}::uuid[])`.execute(tx.db)
  if (rows.length < ids.length) throw cannot('There’s no such role in this channel.', 'no_such_role')
  return rows
}

/** A role that ranks below the caller's highest, so never the owner's. */
export async function loadRoleBelow(tx: Tx, place: ChannelPlace, id: string): Promise<RoleFacts> {
  const role = await loadRole(tx, place, id)
  refuseOutrankedRole(place, role)
  return role
}

/** A role whose color the caller may choose: one that ranks below theirs, or the owner's own. */
export async function loadRoleToColor(tx: Tx, place: ChannelPlace, id: string): Promise<RoleFacts> {
  const role = await loadRole(tx, place, id)
  const isOwnerColor = role.systemName === 'CHANNEL_OWNER' && place.roles.some((own) => own.id === role.id)
  if (!isOwnerColor) refuseOutrankedRole(place, role)
  return role
}

async function loadRole(tx: Tx, { channelId }: ChannelPlace, id: string): Promise<RoleFacts> {
  const [role] = await loadRoles(tx, channelId, [id])
  if (!role) throw new Error('a role was neither found nor missed')
  return role
}

/** Whether the caller may give a role to someone. */
export function mayGive(place: ChannelPlace, role: RoleFacts): boolean {
  return outranks(place, role) && lackingRight(place, role.rights) === undefined
}

export function refuseOutrankedRole(place: ChannelPlace, role: RoleFacts): void {
  if (!outranks(place, role)) throw outranked(`The role ${role.name} does not rank below yours.`)
}

/** Refuses to grant rights that the caller lacks. */
export function refuseGivingRights(place: ChannelPlace, rights: readonly Right[]): void {
  const lacking = lackingRight(place, rights)
  if (lacking) throw missingRight(lacking)
}

function outranks(place: ChannelPlace, role: RoleFacts): boolean {
  return role.rank < place.rank
}

function lackingRight(place: ChannelPlace, rights: readonly Right[]): Right | undefined {
  return rights.find((right) => !place.rights.has(right))
}
