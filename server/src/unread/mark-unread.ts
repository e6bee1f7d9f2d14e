import { readingChanged, type Input, type RoomReadState } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import { signedIn } from '../accounts/sessions.ts'
import { publishToPerson } from '../events/ephemeral.ts'
import type { RoomPlace } from '../operations/authorize.ts'
import type { Tx } from '../operations/transaction.ts'
import { requirePlace } from './mark-read.ts'
import { readStateOf } from './read-state.ts'
import { restoreMentions } from './unread-mentions.ts'

/** Sorts before every id. */
const BEGINNING = '00000000-0000-0000-0000-000000000000'

export async function markRoomUnread(
  tx: Tx,
  { messageId }: Input<typeof api.markRoomUnread>,
  room: RoomPlace,
): Promise<RoomReadState> {
  await requirePlace(tx, room, messageId)
  const { id } = signedIn(tx)
  const { roomId, channelId } = room
  tx.queue(sql`
    INSERT INTO member_rooms (account_id, room_id, channel_id, read_up_to)
    VALUES (${id}::uuid, ${roomId}::uuid, ${channelId}::uuid, coalesce((
      SELECT id FROM messages
      WHERE room_id = ANY (ARRAY[${roomId}::uuid]) AND deleted_at IS NULL AND id < ${messageId}::uuid
      ORDER BY room_id, id DESC LIMIT 1
    ), ${BEGINNING}::uuid))
    ON CONFLICT (account_id, room_id) DO UPDATE SET read_up_to = excluded.read_up_to`)
  tx.queue(restoreMentions(id, room, messageId))
  // Without the read state: devices take one only if it is further on than the one that they have.
  tx.afterCommit(({ bus }) => publishToPerson(bus, id, readingChanged, channelId, {}))
  return readStateOf(tx, room)
}
