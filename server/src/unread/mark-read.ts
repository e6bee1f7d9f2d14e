import { readingChanged, type Input, type RoomReadState } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql, type RawBuilder } from 'kysely'
import { signedIn } from '../accounts/sessions.ts'
import { publishToPerson } from '../events/ephemeral.ts'
import type { ChannelPlace, RoomPlace } from '../operations/authorize.ts'
import { deleteReadMentions } from '../messages/mentions.ts'
import { cannot } from '../operations/refusal.ts'
import { readableRooms } from '../rooms/readable-rooms.ts'
import type { Tx } from '../operations/transaction.ts'
import { publishReadState } from './read-state.ts'

export async function markRoomRead(
  tx: Tx,
  { messageId }: Input<typeof api.markRoomRead>,
  room: RoomPlace,
): Promise<RoomReadState> {
  if (messageId !== undefined) await requirePlace(tx, room, messageId)
  tx.queue(reading(tx, messageId === undefined ? newestOf([room.roomId]) : at(room, messageId)))
  return publishReadState(tx, room)
}

export async function markChannelRead(
  tx: Tx,
  _input: Input<typeof api.markChannelRead>,
  { channelId }: ChannelPlace,
): Promise<null> {
  tx.queue(reading(tx, newestOf(await readableRooms(tx, [channelId]))))
  const { id } = signedIn(tx)
  tx.afterCommit(({ bus }) => publishToPerson(bus, id, readingChanged, channelId, {}))
  return null
}

/** Moves the caller's read position forward, never back, and clears mentions up to there. */
function reading(tx: Tx, places: RawBuilder<unknown>) {
  const { id } = signedIn(tx)
  return sql`
    WITH places AS (${places}), moved AS (
      INSERT INTO member_rooms (account_id, room_id, channel_id, read_up_to)
      SELECT ${id}::uuid, room_id, channel_id, message_id FROM places
      ON CONFLICT (account_id, room_id)
      DO UPDATE SET read_up_to = greatest(member_rooms.read_up_to, excluded.read_up_to)
    )
    ${deleteReadMentions(id, sql`places`)}`
}

function at({ roomId, channelId }: RoomPlace, messageId: string) {
  return sql`SELECT ${roomId}::uuid AS room_id, ${channelId}::uuid AS channel_id, ${messageId}::uuid AS message_id`
}

function newestOf(roomIds: readonly string[]) {
  return sql`
    SELECT o.id AS room_id, o.channel_id, l.id AS message_id FROM rooms o CROSS JOIN LATERAL (
      SELECT id FROM messages WHERE room_id = o.id AND deleted_at IS NULL ORDER BY id DESC LIMIT 1
    ) l WHERE o.id = ANY (${roomIds}::uuid[])`
}

/** A deleted message is still a valid position; one of another room isn't. */
export async function requirePlace(tx: Tx, { roomId }: RoomPlace, messageId: string): Promise<void> {
  const messages = tx.db.selectFrom('messages').select('id').where('id', '=', messageId)
  const found = await messages.where('room_id', '=', roomId).executeTakeFirst()
  if (!found) throw cannot('There’s no such message in this room.', 'no_such_message')
}
