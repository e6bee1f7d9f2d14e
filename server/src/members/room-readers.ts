import { LIMITS, type Input, type Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { CompiledQuery, sql } from 'kysely'
import { isSeen, READ_PLACES, type Positioned, type PlaceRow, type RoomPlace } from '../operations/authorize.ts'
import type { Services } from '../operations/services.ts'
import type { Tx } from '../operations/transaction.ts'
import { findMembers } from './find-members.ts'
import { readMemberPage, type Among } from './list-members.ts'

/** So many are read by their ids. If there are more, a page is found by reading members in the order of their names. */
const FEW = LIMITS.membersCounted

export async function listRoomReaders(
  tx: Tx,
  input: Input<typeof api.listRoomReaders>,
  room: RoomPlace,
  { presence }: Pick<Services, 'presence'>,
): Promise<Output<typeof api.listRoomReaders>> {
  const { channelId, ownerId } = room
  const admitted = room.private ? await admittedTo(tx, room) : undefined
  const among = admitted && (await readersOf(tx, room, admitted))
  const online = await presence.onlineIn(channelId)
  const page = await readMemberPage(tx, channelId, online, { ...input, order: 'name', among })
  const members = page.members.map((member) => {
    const admits = (role: { id: string }): boolean =>
      !admitted || member.id === ownerId || admitted.roleIds.includes(role.id)
    return { ...member, admittedAs: member.roles.find(admits) ?? null }
  })
  return { ...page, members }
}

export async function findRoomMembers(
  tx: Tx,
  { roomId, ...wanted }: Input<typeof api.findRoomMembers>,
  room: RoomPlace,
  services: Pick<Services, 'presence'>,
): Promise<Output<typeof api.findRoomMembers>> {
  const { channelId } = room
  const { members } = await findMembers(tx, { channelId, ...wanted }, room, services)
  const ids = members.map(({ id }) => id)
  const requested = [ids, ids.map(() => channelId), ids.map(() => roomId)]
  const { rows } = await tx.db.executeQuery<PlaceRow & Positioned>(CompiledQuery.raw(READ_PLACES, requested))
  const seeing = new Set(
    rows.flatMap((row) => (isSeen(row, row.ownerId === ids[row.position - 1]) ? [ids[row.position - 1]] : [])),
  )
  return { members: members.map((member) => ({ ...member, seesRoom: seeing.has(member.id) })) }
}

interface Admitted {
  readonly roleIds: readonly string[]
  readonly accountIds: readonly string[]
}

/** The roles and members that a private room admits, and the owner, who is always admitted. */
async function admittedTo(tx: Tx, { roomId, ownerId }: RoomPlace): Promise<Admitted> {
  const rows = await tx.db
    .selectFrom('room_admissions')
    .select(['role_id', 'account_id'])
    .where('room_id', '=', roomId)
    .execute()
  return {
    roleIds: rows.flatMap(({ role_id }) => role_id ?? []),
    accountIds: [ownerId, ...rows.flatMap(({ account_id }) => account_id ?? [])],
  }
}

async function readersOf(tx: Tx, { channelId }: RoomPlace, { roleIds, accountIds }: Admitted): Promise<Among> {
  const { rows } = await sql<{ total: number; ids: string[] }>`
    WITH readers AS MATERIALIZED (
      SELECT account_id FROM members WHERE role_id = ANY (${roleIds}::uuid[])
      UNION SELECT account_id FROM member_roles WHERE role_id = ANY (${roleIds}::uuid[])
      UNION SELECT unnest(${accountIds}::uuid[])
    )
    SELECT count(*)::int AS total, ARRAY(SELECT account_id FROM readers LIMIT ${FEW + 1}) AS ids FROM readers`.execute(
    tx.db,
  )
  const { total = 0, ids = [] } = rows[0] ?? {}
  return {
    total,
    ids: total <= FEW ? ids : undefined,
    condition: sql`(m.role_id = ANY (${roleIds}::uuid[]) OR m.account_id = ANY (${accountIds}::uuid[]) OR EXISTS (
      SELECT FROM member_roles g
      WHERE g.channel_id = ${channelId}::uuid AND g.account_id = m.account_id AND g.role_id = ANY (${roleIds}::uuid[])))`,
  }
}
