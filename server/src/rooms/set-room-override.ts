import { ROOM_RIGHTS, type Input, type RoomAccess, type RoomRight } from '@portico/contract'
import type * as api from '@portico/contract'
import { refuseUnseen } from '../operations/refuse-unseen.ts'
import type { RoomPlace } from '../operations/authorize.ts'
import { wrongField } from '../operations/refusal.ts'
import { loadRoleBelow, refuseGivingRights } from '../roles/load-roles.ts'
import type { Tx } from '../operations/transaction.ts'
import { refuseDenyingEntry } from './refuse-shutting-out.ts'
import { roomAccess } from './room-access.ts'

export async function setRoomOverride(
  tx: Tx,
  input: Input<typeof api.setRoomOverride>,
  room: RoomPlace,
): Promise<RoomAccess> {
  const { channelId, roomId, roomName } = room
  const allow = inOrder(input.allow)
  const deny = inOrder(input.deny)
  if (allow.some((right) => deny.includes(right))) throw wrongField('deny', 'must not repeat what is allowed')

  const role = await loadRoleBelow(tx, room, input.roleId)
  const before = (await roomAccess(tx, roomId)).overrides.find(({ roleId }) => roleId === role.id)
  refuseUnseen(
    { allow: inOrder(before?.allow ?? []), deny: inOrder(before?.deny ?? []) },
    input.seen && { allow: inOrder(input.seen.allow), deny: inOrder(input.seen.deny) },
  )
  refuseGivingRights(
    room,
    allow.filter((right) => !before?.allow.includes(right)),
  )
  await refuseDenyingEntry(
    tx,
    room,
    role,
    deny.filter((right) => !before?.deny.includes(right)),
  )

  if (allow.length === 0 && deny.length === 0) {
    await tx.db.deleteFrom('room_overrides').where('room_id', '=', roomId).where('role_id', '=', role.id).execute()
  } else {
    await tx.db
      .insertInto('room_overrides')
      .values({ channel_id: channelId, room_id: roomId, role_id: role.id, allow, deny })
      .onConflict((conflict) => conflict.columns(['room_id', 'role_id']).doUpdateSet({ allow, deny }))
      .execute()
  }
  tx.audit({
    action: 'room.override_set',
    channelId,
    target: { id: roomId, name: roomName },
    details: { role: role.name, allow, deny },
  })
  return roomAccess(tx, roomId)
}

function inOrder(rights: readonly RoomRight[]): RoomRight[] {
  return ROOM_RIGHTS.filter((right) => rights.includes(right))
}
