import type { Input, RoomAccess } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import { refuseUnseen } from '../operations/refuse-unseen.ts'
import { uniqueIds } from '../operations/ids.ts'
import type { RoomPlace } from '../operations/authorize.ts'
import { refuseStrangers } from '../members/refuse-strangers.ts'
import { loadRoles } from '../roles/load-roles.ts'
import type { Tx } from '../operations/transaction.ts'
import { refuseShuttingOut } from './refuse-shutting-out.ts'
import { roomAccess } from './room-access.ts'

export async function setRoomAdmissions(
  tx: Tx,
  input: Input<typeof api.setRoomAdmissions>,
  room: RoomPlace,
): Promise<RoomAccess> {
  const { channelId, roomId, roomName } = room
  const roleIds = uniqueIds('roleIds', input.roleIds)
  const memberIds = uniqueIds('memberIds', input.memberIds)
  const roles = await loadRoles(tx, channelId, roleIds)
  await refuseStrangers(tx, channelId, memberIds)
  const { admittedRoleIds, admittedMembers } = await roomAccess(tx, roomId)
  const before = { roleIds: admittedRoleIds.toSorted(), memberIds: admittedMembers.map(({ id }) => id).toSorted() }
  refuseUnseen(
    before,
    input.seen && { roleIds: input.seen.roleIds.toSorted(), memberIds: input.seen.memberIds.toSorted() },
  )
  if (room.private) await refuseShuttingOut(tx, room, before, { roleIds, memberIds })

  await tx.db.deleteFrom('room_admissions').where('room_id', '=', roomId).execute()
  await sql`
    INSERT INTO room_admissions (channel_id, room_id, role_id, account_id)
    SELECT ${channelId}::uuid, ${roomId}::uuid, id, NULL FROM unnest(${roleIds}::uuid[]) AS id
    UNION ALL
    SELECT ${channelId}::uuid, ${roomId}::uuid, NULL, id FROM unnest(${memberIds}::uuid[]) AS id`.execute(tx.db)

  const access = await roomAccess(tx, roomId)
  tx.audit({
    action: 'room.admissions_changed',
    channelId,
    target: { id: roomId, name: roomName },
    details: { roles: roles.map(({ name }) => name), members: access.admittedMembers.map(({ name }) => name) },
  })
  return access
}

export async function admitMember(tx: Tx, channelId: string, roomId: string, accountId: string): Promise<void> {
  await tx.db
    .insertInto('room_admissions')
    .values({ channel_id: channelId, room_id: roomId, account_id: accountId })
    .onConflict((conflict) => conflict.constraint('room_admissions_once').doNothing())
    .execute()
}
