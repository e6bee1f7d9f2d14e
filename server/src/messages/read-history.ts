import { LIMITS, type Input, type Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import type { RoomPlace } from '../operations/authorize.ts'
import { readStateOf } from '../unread/read-state.ts'
import { cannot, wrongField } from '../operations/refusal.ts'
import type { Tx } from '../operations/transaction.ts'
import { roomMessages } from './room-messages.ts'

const COLUMNS = sql.raw(
  'id, channel_id, room_id, author_id, text, reply_to_id, created_at, edited_at, pinned_at, mentioned_groups, cards, components, streaming',
)
const MOST = sql.lit(LIMITS.historyPage + 1)
/** Sorts after every id. */
const END = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** The cursor of a page, how many messages to read on either side, and which side includes the cursor itself. */
interface Cut {
  readonly at: string
  readonly older: number
  readonly newer: number
  readonly pivot: 'older' | 'newer'
}

export async function readHistory(
  tx: Tx,
  input: Input<typeof api.readHistory>,
  room: RoomPlace,
): Promise<Output<typeof api.readHistory>> {
  const cut = cutOf(input)
  const [found, { readUpTo }, isCursor] = await Promise.all([
    roomMessages(tx, room.channelId, pageOf(room, cut)),
    readStateOf(tx, room),
    cut.at === END || isMessage(tx, room, cut.at),
  ])
  // Someone who has read nothing yet is at a position before the first message, where the portal opens the room.
  if (!isCursor && cut.at !== readUpTo) throw cannot('There’s no such message in this room.', 'no_such_message')

  const messages = found.map(({ message }) => message)
  const isOlder = ({ id }: { id: string }): boolean => (cut.pivot === 'older' ? id <= cut.at : id < cut.at)
  const older = messages.filter(isOlder)
  const newer = messages.filter((message) => !isOlder(message))
  return {
    messages: [...older.slice(Math.max(0, older.length - cut.older)), ...newer.slice(0, cut.newer)],
    hasOlder: older.length > cut.older,
    hasNewer: newer.length > cut.newer,
    readUpTo,
  }
}

function cutOf({ beforeId, afterId, aroundId, limit = 50 }: Input<typeof api.readHistory>): Cut {
  const given = { beforeId, afterId, aroundId }
  const [, second] = Object.entries(given).flatMap(([name, id]) => (id === undefined ? [] : [name]))
  if (second !== undefined) throw wrongField(second, 'must be the only one of beforeId, afterId and aroundId')
  const half = Math.floor(limit / 2)
  if (aroundId !== undefined) return { at: aroundId.toLowerCase(), older: half, newer: limit - half, pivot: 'newer' }
  if (afterId !== undefined) return { at: afterId.toLowerCase(), older: 0, newer: limit, pivot: 'older' }
  return { at: beforeId?.toLowerCase() ?? END, older: limit, newer: 0, pivot: 'newer' }
}

/**
 * One extra row on either side shows whether there are more. Each side is one scan of the only index in that order, up to a
 * constant limit: ordered by id alone, it might be found among the newest messages of all rooms.
 */
function pageOf({ roomId }: RoomPlace, { at, older, newer, pivot }: Cut) {
  const [below, above] = pivot === 'older' ? [sql`<=`, sql`>`] : [sql`<`, sql`>=`]
  return sql`
    (SELECT * FROM (
      SELECT ${COLUMNS} FROM messages
      WHERE room_id = ANY (ARRAY[${roomId}::uuid]) AND deleted_at IS NULL AND id ${below} ${at}::uuid
      ORDER BY room_id, id DESC LIMIT ${MOST}
    ) p LIMIT ${older + 1})
    UNION ALL
    (SELECT * FROM (
      SELECT ${COLUMNS} FROM messages
      WHERE room_id = ANY (ARRAY[${roomId}::uuid]) AND deleted_at IS NULL AND id ${above} ${at}::uuid
      ORDER BY room_id DESC, id LIMIT ${MOST}
    ) p LIMIT ${newer + 1})`
}

/** A deleted message still works as a cursor; one of another room doesn't. */
async function isMessage(tx: Tx, room: RoomPlace, id: string): Promise<boolean> {
  const found = await tx.db
    .selectFrom('messages')
    .select('id')
    .where('id', '=', id)
    .where('room_id', '=', room.roomId)
    .executeTakeFirst()
  return found !== undefined
}

export async function listPins(
  tx: Tx,
  _input: Input<typeof api.listPins>,
  room: RoomPlace,
): Promise<Output<typeof api.listPins>> {
  const page = sql`
    SELECT ${COLUMNS} FROM messages
    WHERE room_id = ${room.roomId}::uuid AND deleted_at IS NULL AND pinned_at IS NOT NULL`
  const messages = (await roomMessages(tx, room.channelId, page)).map(({ message }) => message)
  return { messages: messages.toSorted((a, b) => ((a.pinnedAt ?? '') < (b.pinnedAt ?? '') ? 1 : -1)) }
}
