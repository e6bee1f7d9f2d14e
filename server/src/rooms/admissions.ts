import type { Input, RoomAccess } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import { refuseUnseen } from '../audit/refuse-unseen.ts'
import { uniqueIds } from '../ids.ts'
import type { RoomPlace } from '../members/access.ts'
import { refuseStrangers } from '../members/refuse-strangers.ts'
import { loadRoles } from '../roles/load-roles.ts'
import type { Tx } from '../transaction.ts'
import { roomAccess } from './room-access.ts'

export async function setRoomAdmissions(
  tx: Tx,
  input: Input<typeof api.setRoomAdmissions>,
  { channelId, roomId, roomName }: RoomPlace,
): Promise<RoomAccess> {
  const roleIds = uniqueIds('roleIds', input.roleIds)
  const memberIds = uniqueIds('memberIds', input.memberIds)
  const roles = await loadRoles(tx, channelId, roleIds)
  await refuseStrangers(tx, channelId, memberIds)
  const before = await roomAccess(tx, roomId)
  refuseUnseen(
    { roleIds: before.admittedRoleIds.toSorted(), memberIds: before.admittedMembers.map(({ id }) => id).toSorted() },
    input.seen && { roleIds: input.seen.roleIds.toSorted(), memberIds: input.seen.memberIds.toSorted() },
  )

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
