import type { Input, Message, Output } from '@portico/contract'
import type * as api from '@portico/contract'
import type { RoomPlace } from '../operations/authorize.ts'
import { cannot } from '../operations/refusal.ts'
import type { Services } from '../operations/services.ts'
import type { Tx } from '../operations/transaction.ts'
import { reactionCounts } from './reaction-counts.ts'

interface Row {
  id: string
  text: string
  createdAt: string
  authorId: string
  authorName: string
  editedAt: string | null
  replyToId: string | null
  pinnedAt: string | null
}

/** The author is looked up for each row of the page (hence the LIMIT): a join might read all accounts. */
const READ = `
  SELECT m.id, m.text, m.created_at AS "createdAt", m.author_id AS "authorId", a.name AS "authorName",
    m.edited_at AS "editedAt", m.reply_to_id AS "replyToId", m.pinned_at AS "pinnedAt"
  FROM messages m CROSS JOIN LATERAL (SELECT name FROM accounts WHERE id = m.author_id LIMIT 1) a
  WHERE m.room_id = $1::uuid AND m.deleted_at IS NULL
    AND m.id < coalesce($2::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
  ORDER BY m.id DESC
  LIMIT $3`

export async function listMessages(
  tx: Tx,
  { beforeId, limit = 50 }: Input<typeof api.listMessages>,
  room: RoomPlace,
  { database: { pool } }: Pick<Services, 'database'>,
): Promise<Output<typeof api.listMessages>> {
  if (beforeId !== undefined) await requireCursor(tx, room, beforeId)
  const values = [room.roomId, beforeId ?? null, limit + 1]
  const { rows } = await pool.query<Row>({ name: 'history', text: READ, values })
  const hasMore = rows.length > limit
  if (hasMore) rows.length = limit
  return { messages: await shown(tx, rows), hasMore }
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

/** Reactions are for the portal; bots receive them as events. */
async function shown(tx: Tx, rows: readonly Row[]): Promise<Message[]> {
  const reactions =
    tx.actor.kind === 'person'
      ? await reactionCounts(
          tx,
          rows.map(({ id }) => id),
        )
      : undefined
  return rows.map(({ id, text, createdAt, authorId, authorName, editedAt, replyToId, pinnedAt }) => {
    const message: Message = { id, text, createdAt, author: { id: authorId, name: authorName } }
    if (editedAt !== null) message.editedAt = editedAt
    if (replyToId !== null) message.replyToId = replyToId
    if (pinnedAt !== null) message.pinnedAt = pinnedAt
    if (reactions) message.reactions = reactions.get(id) ?? []
    return message
  })
}
