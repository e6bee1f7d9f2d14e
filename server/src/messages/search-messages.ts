import type { Input, Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import type { ChannelPlace } from '../members/access.ts'
import { readableRooms } from '../rooms/readable-rooms.ts'
import type { Tx } from '../transaction.ts'
import { rangesOf } from './found-ranges.ts'
import { roomMessages } from './room-messages.ts'

/** Sorts behind every id there is. */
const END = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

export async function searchMessages(
  tx: Tx,
  { q, roomId, authorId, beforeId, limit = 25 }: Input<typeof api.searchMessages>,
  { channelId }: ChannelPlace,
): Promise<Output<typeof api.searchMessages>> {
  const readable = await readableRooms(tx, channelId)
  const rooms = roomId === undefined ? readable : readable.filter((id) => id === roomId.toLowerCase())
  const byAuthor = authorId === undefined ? sql`` : sql`AND author_id = ${authorId}::uuid`
  const query = sql`websearch_to_tsquery('pg_catalog.russian', ${q})`
  // By its words alone first: offered any other index beside, the database may choose that one and read every message of
  // the channel. A query of nothing but filler words is empty; with the channel's word it would find everything.
  const page = sql`
    WITH found AS MATERIALIZED (
      SELECT id, channel_id, room_id, author_id FROM messages
      WHERE deleted_at IS NULL AND numnode(${query}) > 0
        AND search_words(channel_id, text) @@ (${query} && ${`'channel:${channelId}'`}::tsquery)
    ), page AS MATERIALIZED (
      SELECT id FROM found
      WHERE channel_id = ${channelId}::uuid AND room_id = ANY (${rooms}::uuid[]) ${byAuthor}
        AND id < ${beforeId ?? END}::uuid
      ORDER BY id DESC LIMIT ${limit + 1}
    )
    SELECT id, channel_id, room_id, author_id, text, reply_to_id, created_at, edited_at, pinned_at
    FROM messages WHERE id IN (SELECT id FROM page)`
  const found = (await roomMessages(tx, channelId, page)).toReversed()
  const hits = found.slice(0, limit)
  const words = await wordsIn(
    tx,
    q,
    hits.map(({ message }) => message.text),
  )
  return {
    hits: hits.map(({ roomId, message }) => ({ roomId, message, found: rangesOf(message.text, words) })),
    hasMore: found.length > limit,
  }
}

/** The words of these texts that are forms of those searched for, as they are written. */
async function wordsIn(tx: Tx, q: string, texts: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ word: string }>`
    SELECT DISTINCT t.token AS word
    FROM unnest(${texts}::text[]) AS x (text), ts_parse('pg_catalog.default', x.text) t
    WHERE tsvector_to_array(to_tsvector('pg_catalog.russian', t.token))
      && tsvector_to_array(to_tsvector('pg_catalog.russian', ${q}))`.execute(tx.db)
  return rows.map(({ word }) => word)
}
