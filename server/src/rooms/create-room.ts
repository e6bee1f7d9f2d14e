import { LIMITS, type Input, type Room, type RoomType } from '@portico/contract'
import type * as api from '@portico/contract'
import { signedIn } from '../accounts/sessions.ts'
import type { ChannelPlace } from '../operations/authorize.ts'
import { optionalText } from '../operations/optional-text.ts'
import { cannot } from '../operations/refusal.ts'
import type { Tx } from '../operations/transaction.ts'
import { admitMember } from './admissions.ts'
import { refuseForeignCategory } from './categories.ts'
import { insertRoom } from './insert-room.ts'
import { loadRoom, toRoom } from './room.ts'
import { restrictWriting } from './restrict-writing.ts'

export async function createRoom(
  tx: Tx,
  input: Input<typeof api.createRoom>,
  { channelId }: ChannelPlace,
): Promise<Room> {
  const { type, userLimit = null, categoryId = null, private: isPrivate = false, writeRestricted = false } = input
  refuseUserLimit(type, userLimit)
  await refuseOneTooMany(tx, channelId)
  await refuseForeignCategory(tx, channelId, categoryId)

  const name = input.name.trim()
  const topic = optionalText(input.topic) ?? null
  const id = await insertRoom(tx, { channelId, type, name, categoryId, topic, private: isPrivate, userLimit })
  if (writeRestricted) await restrictWriting(tx, channelId, id, true)
  if (isPrivate) await admitMember(tx, channelId, id, signedIn(tx).id)

  const details = { type, private: isPrivate, writeRestricted }
  tx.audit({ action: 'room.created', channelId, target: { id, name }, details })
  return toRoom(tx.actor, await loadRoom(tx, channelId, id))
}

export function refuseUserLimit(type: RoomType, userLimit: number | null | undefined): void {
  if (type === 'voice' || userLimit === null || userLimit === undefined) return
  throw cannot('Only voice rooms can have a user limit.', 'wrong_room_type')
}

async function refuseOneTooMany(tx: Tx, channelId: string): Promise<void> {
  const { count } = await tx.db
    .selectFrom('rooms')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('channel_id', '=', channelId)
    .executeTakeFirstOrThrow()
  if (count >= LIMITS.roomsOfChannel) {
    throw cannot(`A channel can have at most ${LIMITS.roomsOfChannel} rooms.`, 'too_many_rooms')
  }
}
