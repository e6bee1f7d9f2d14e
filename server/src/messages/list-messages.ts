import { LIMITS, type Input, type Message, type Output } from '@portico/contract'
import type * as api from '@portico/contract'
import type { RoomPlace } from '../operations/authorize.ts'
import { cannot } from '../operations/refusal.ts'
import type { Services } from '../operations/services.ts'
import type { Tx } from '../operations/transaction.ts'
import { streamingState, textSoFar } from './message-streams-sql.ts'

interface Row {
  id: string
  text: string
  createdAt: string
  authorId: string
  authorName: string
  editedAt: string | null
  replyToId: string | null
  pinnedAt: string | null
  cards: Message['cards'] | null
  components: Message['components'] | null
  streaming: string | null
  reactions?: Message['reactions'] | null
}

/**
 * The page is read in an order that only the index by room has, up to a constant limit: ordered by id alone, it might be found
 * among the newest messages of all rooms. The author is looked up for each row of the page (hence the LIMIT): a join might
 * read all accounts.
 */
const READ = `
  SELECT m.id, ${textSoFar('m')} AS text, m.created_at AS "createdAt", m.author_id AS "authorId", a.name AS "authorName",
    m.edited_at AS "editedAt", m.reply_to_id AS "replyToId", m.pinned_at AS "pinnedAt", m.cards, m.components, m.streaming
  FROM (
    SELECT * FROM messages
    WHERE room_id = ANY (ARRAY[$1::uuid]) AND deleted_at IS NULL
      AND id < coalesce($2::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    ORDER BY room_id, id DESC LIMIT ${LIMITS.historyPage + 1}
  ) m CROSS JOIN LATERAL (SELECT name FROM accounts WHERE id = m.author_id LIMIT 1) a
  LIMIT $3`

/**
 * Reactions are for the portal; bots receive them as events. Each kind comes in the order in which it was first added. They are
 * read for the whole page at once: a lookup for each message might read all reactions each time.
 */
const READ_WITH_REACTIONS = `
  WITH page AS MATERIALIZED (${READ}),
  kinds AS MATERIALIZED (
    SELECT message_id, emoji, count(*) AS count, bool_or(account_id = $4::uuid) AS mine, min(created_at) AS first
    FROM reactions WHERE message_id = ANY (ARRAY(SELECT id FROM page)) GROUP BY message_id, emoji
  )
  SELECT page.*, (
    SELECT json_agg(json_build_object('emoji', emoji, 'count', count, 'mine', mine) ORDER BY first, emoji)
    FROM kinds WHERE message_id = page.id
  ) AS reactions
  FROM page ORDER BY id DESC`

export async function listMessages(
  tx: Tx,
  { beforeId, limit = 50 }: Input<typeof api.listMessages>,
  room: RoomPlace,
  { database: { pool } }: Pick<Services, 'database'>,
): Promise<Output<typeof api.listMessages>> {
  if (beforeId !== undefined) await requireCursor(tx, room, beforeId)
  const values = [room.roomId, beforeId ?? null, limit + 1]
  const statement =
    tx.actor.kind === 'person'
      ? { name: 'history_with_reactions', text: READ_WITH_REACTIONS, values: [...values, tx.actor.id] }
      : { name: 'history', text: READ, values }
  const { rows } = await pool.query<Row>(statement)
  const hasMore = rows.length > limit
  if (hasMore) rows.length = limit
  return { messages: rows.map(shown), hasMore }
}

/** A deleted message still works as a cursor; one of another room does not. */
async function requireCursor(tx: Tx, room: RoomPlace, beforeId: string): Promise<void> {
  const found = await tx.db
    .selectFrom('messages')
    .select('id')
    .where('id', '=', beforeId)
    .where('room_id', '=', room.roomId)
    .executeTakeFirst()
  if (!found) throw cannot('beforeId: isn’t a message in this room.', 'no_such_message')
}

function shown({
  id,
  text,
  createdAt,
  authorId,
  authorName,
  editedAt,
  replyToId,
  pinnedAt,
  cards,
  components,
  streaming,
  reactions,
}: Row): Message {
  const message: Message = { id, text, createdAt, author: { id: authorId, name: authorName } }
  if (editedAt !== null) message.editedAt = editedAt
  if (replyToId !== null) message.replyToId = replyToId
  if (pinnedAt !== null) message.pinnedAt = pinnedAt
  if (cards) message.cards = cards
  if (components) message.components = components
  const state = streamingState(streaming)
  if (state) message.streaming = state
  if (reactions !== undefined) message.reactions = reactions ?? []
  return message
}
