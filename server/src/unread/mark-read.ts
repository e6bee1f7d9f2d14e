import { readingChanged, type Input, type RoomReadState } from '@portico/contract'
import type * as api from '@portico/contract'
import { CompiledQuery } from 'kysely'
import { signedIn } from '../accounts/sessions.ts'
import { publishToPerson } from '../events/ephemeral.ts'
import { noSuchRoom } from '../operations/access-refusals.ts'
import type { ChannelPlace, RoomPlace } from '../operations/authorize.ts'
import { cannot, type Refusal } from '../operations/refusal.ts'
import type { Tx } from '../operations/transaction.ts'
import { readableRooms } from '../rooms/readable-rooms.ts'
import { NEWEST_MESSAGE_ID, publishReading, readStateIn, selectReadStates, type ReadStateRow } from './read-state.ts'
import { DELETE_READ_MENTIONS } from './unread-mentions.ts'

export async function markRoomRead(
  tx: Tx,
  { messageId }: Input<typeof api.markRoomRead>,
  { roomId }: RoomPlace,
): Promise<RoomReadState> {
  const values = [signedIn(tx).id, [roomId]]
  const query =
    messageId === undefined
      ? CompiledQuery.raw(MARK_NEWEST, values)
      : CompiledQuery.raw(MARK_AT, [...values, messageId])
  // Filled in with the commit.
  const reading = {} as RoomReadState
  tx.queue({ compile: () => query }, (rows) => {
    const [row] = rows as MarkedRow[]
    // Deleted since the access was checked.
    if (!row) throw noSuchRoom()
    const { isMarked, ...state } = row
    if (messageId !== undefined && !isMarked) throw noSuchMessage()
    Object.assign(reading, readStateIn(state))
  })
  publishReading(tx, reading)
  return reading
}

export async function markChannelRead(
  tx: Tx,
  _input: Input<typeof api.markChannelRead>,
  { channelId }: ChannelPlace,
): Promise<null> {
  const { id } = signedIn(tx)
  const query = CompiledQuery.raw(MARK_ALL, [id, await readableRooms(tx, [channelId])])
  tx.queue({ compile: () => query })
  tx.afterCommit(({ bus }) => publishToPerson(bus, id, readingChanged, channelId, {}))
  return null
}

/** SQL: the newest message of each of the rooms `$2`. */
const NEWEST = `
  SELECT o.id AS room_id, o.channel_id, l.id AS message_id FROM rooms o CROSS JOIN LATERAL (
    ${NEWEST_MESSAGE_ID}
  ) l WHERE o.id = ANY ($2::uuid[])`

/** SQL: the message `$3`, which may be deleted, if it is in one of the rooms `$2`. */
const MESSAGE = `
  SELECT room_id, channel_id, id AS message_id FROM messages WHERE id = $3::uuid AND room_id = ANY ($2::uuid[])`

/** SQL that moves the read position of the person `$1` forward, never back, and clears mentions up to there. */
function markRead(places: string): string {
  return `
  places AS (${places}),
  moved AS (
    INSERT INTO member_rooms AS r (account_id, room_id, channel_id, read_up_to)
    SELECT $1::uuid, room_id, channel_id, message_id FROM places
    ON CONFLICT (account_id, room_id) DO UPDATE SET read_up_to = greatest(r.read_up_to, excluded.read_up_to)
    RETURNING r.*
  ),
  cleared AS (${DELETE_READ_MENTIONS})`
}

interface MarkedRow extends ReadStateRow {
  readonly isMarked: boolean
}

/**
 * People do this each time that they open a room, so it is a single statement, which also returns the read state. It can't see
 * its own changes in the table: it passes the changed row on.
 */
function markAndRead(places: string): string {
  return `
  WITH ${markRead(places)},
  current AS (
    SELECT * FROM moved
    UNION ALL
    SELECT * FROM member_rooms
    WHERE account_id = $1::uuid AND room_id = ANY ($2::uuid[]) AND NOT EXISTS (SELECT FROM moved)
  )
  SELECT state.*, EXISTS (SELECT FROM places) AS "isMarked" FROM (${selectReadStates('current')}) AS state`
}

const MARK_ALL = `WITH ${markRead(NEWEST)} SELECT`
const MARK_NEWEST = markAndRead(NEWEST)
const MARK_AT = markAndRead(MESSAGE)

/** A deleted message is still a valid position; one of another room isn't. */
export async function requirePlace(tx: Tx, { roomId }: RoomPlace, messageId: string): Promise<void> {
  const messages = tx.db.selectFrom('messages').select('id').where('id', '=', messageId)
  const found = await messages.where('room_id', '=', roomId).executeTakeFirst()
  if (!found) throw noSuchMessage()
}

function noSuchMessage(): Refusal {
  return cannot('There’s no such message in this room.', 'no_such_message')
}
