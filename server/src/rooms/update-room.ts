import type { Input, Room } from '@portico/contract'
import type * as api from '@portico/contract'
import { signedIn } from '../accounts/sessions.ts'
import { changesOf } from '../operations/changes-of.ts'
import { refuseUnseen } from '../operations/refuse-unseen.ts'
import type { RoomPlace } from '../operations/authorize.ts'
import { optionalText } from '../operations/optional-text.ts'
import type { Tx } from '../operations/transaction.ts'
import { hideOccupants, showOccupants } from '../voice/room-privacy.ts'
import { voiceUsers } from '../voice/voice-users.ts'
import { admitMember } from './admissions.ts'
import { refuseForeignCategory } from './categories.ts'
import { refuseUserLimit } from './create-room.ts'
import { admitHigherRanks } from './refuse-shutting-out.ts'
import { restrictWriting } from './restrict-writing.ts'
import { loadRoom, toRoom } from './room.ts'

export async function updateRoom(tx: Tx, input: Input<typeof api.updateRoom>, room: RoomPlace): Promise<Room> {
  const { channelId, roomId, roomType } = room
  refuseUserLimit(roomType, input.userLimit)
  await refuseForeignCategory(tx, channelId, input.categoryId)

  const before = await loadRoom(tx, channelId, roomId)
  refuseUnseen(before, input.seen)
  const { private: isPrivate, writeRestricted, userLimit } = input
  const name = input.name?.trim()
  const topic = optionalText(input.topic)
  const categoryId = input.categoryId?.toLowerCase() ?? input.categoryId

  const update = { name, topic, categoryId, private: isPrivate, writeRestricted, userLimit }
  const changes = changesOf(before, update)
  const users = (await voiceUsers(tx, channelId)).get(roomId)
  if (Object.keys(changes).length === 0) return toRoom(tx.actor, before, users)

  const place = { channelId, roomId, roomType }
  const turnsPrivate = 'private' in changes && isPrivate
  const turnsPublic = 'private' in changes && !isPrivate
  if (turnsPrivate && roomType === 'voice') await hideOccupants(tx, place)
  await tx.db
    .updateTable('rooms')
    .set({
      name: name ?? before.name,
      topic,
      category_id: categoryId,
      private: isPrivate,
      user_limit: userLimit,
    })
    .where('id', '=', roomId)
    .execute()
  if (writeRestricted !== undefined) await restrictWriting(tx, channelId, roomId, writeRestricted)
  // The caller stays admitted, or they couldn't undo it; so does everyone of the same rank or above.
  if (turnsPrivate) {
    await admitMember(tx, channelId, roomId, signedIn(tx).id)
    await admitHigherRanks(tx, room)
  }
  if (turnsPublic && roomType === 'voice') await showOccupants(tx, place)

  const after = await loadRoom(tx, channelId, roomId)
  tx.audit({ action: 'room.updated', channelId, target: after, details: changes })
  return toRoom(tx.actor, after, users)
}
