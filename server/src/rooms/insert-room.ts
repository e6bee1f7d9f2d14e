import type { RoomType } from '@portico/contract'
import { newId } from '../operations/ids.ts'
import type { Tx } from '../operations/transaction.ts'

export interface NewRoom {
  readonly channelId: string
  readonly type: RoomType
  readonly name: string
  readonly categoryId?: string | null
  readonly topic?: string | null
  readonly private?: boolean
  readonly userLimit?: number | null
}

/** Adds a room after all others of a channel whose row the caller has locked. */
export async function insertRoom(tx: Tx, room: NewRoom): Promise<string> {
  const id = newId()
  await tx.db
    .insertInto('rooms')
    .values((eb) => ({
      id,
      channel_id: room.channelId,
      type: room.type,
      name: room.name,
      category_id: room.categoryId ?? null,
      topic: room.topic ?? null,
      private: room.private ?? false,
      user_limit: room.userLimit ?? null,
      sort: eb
        .selectFrom('rooms')
        .select((rooms) => rooms.fn.coalesce(rooms(rooms.fn.max('sort'), '+', 1), rooms.lit(1)).as('sort'))
        .where('channel_id', '=', room.channelId),
    }))
    .execute()
  return id
}
