import { cannot } from '../operations/refusal.ts'
import type { RoomPlace } from '../operations/authorize.ts'
import type { Tx } from '../operations/transaction.ts'

export interface FoundMessage {
  readonly id: string
  readonly authorId: string
  readonly authorName: string
  readonly pinnedAt: string | null
}

/** A message of the room that is not deleted; refuses if there is none. */
export async function requireMessage(tx: Tx, room: RoomPlace, messageId: string): Promise<FoundMessage> {
  return found(await query(tx, room, messageId).executeTakeFirst())
}

/** The same, locked: concurrent changes of one message are serialized, and counts stay exact. */
export async function lockMessage(tx: Tx, room: RoomPlace, messageId: string): Promise<FoundMessage> {
  return found(await query(tx, room, messageId).forUpdate('m').executeTakeFirst())
}

function query(tx: Tx, room: RoomPlace, messageId: string) {
  return tx.db
    .selectFrom('messages as m')
    .innerJoin('accounts as a', 'a.id', 'm.author_id')
    .select(['m.id', 'm.author_id as authorId', 'a.name as authorName', 'm.pinned_at as pinnedAt'])
    .where('m.id', '=', messageId)
    .where('m.room_id', '=', room.roomId)
    .where('m.deleted_at', 'is', null)
}

function found(message: FoundMessage | undefined): FoundMessage {
  if (!message) throw cannot('There’s no such message in this room.', 'no_such_message')
  return message
}
