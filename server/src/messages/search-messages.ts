import { availableParallelism } from 'node:os'
import type { Input, Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import type { ChannelPlace } from '../operations/authorize.ts'
import { readableRooms } from '../rooms/readable-rooms.ts'
import { Semaphore } from '../operations/semaphore.ts'
import type { Tx } from '../operations/transaction.ts'
import { rangesOf } from './found-ranges.ts'
import { newestFirst, type Bounds } from './newest-first.ts'
import { roomMessages } from './room-messages.ts'

/** Searches keep a core of the database busy: one core and most connections stay free for other requests. */
const searching = new Semaphore({
  atOnce: Math.min(3, Math.max(1, availableParallelism() - 1)),
  queueLength: 40,
  message: 'Too many people are searching right now. Try again in a few seconds.',
})

export async function searchMessages(
  tx: Tx,
  input: Input<typeof api.searchMessages>,
  channel: ChannelPlace,
): Promise<Output<typeof api.searchMessages>> {
  return searching.run(() => search(tx, input, channel))
}

async function search(
  tx: Tx,
  { q, roomId, authorId, beforeId, limit = 25 }: Input<typeof api.searchMessages>,
  { channelId }: ChannelPlace,
): Promise<Output<typeof api.searchMessages>> {
  const [readable, allRooms, parsed] = await Promise.all([
    readableRooms(tx, [channelId]),
    roomsOf(tx, channelId),
    parseQuery(tx, q),
  ])
  const rooms = roomId === undefined ? readable : readable.filter((id) => id === roomId.toLowerCase())
  if (!parsed || rooms.length === 0) return { hits: [], nextBeforeId: null }

  const { query, ...bounds } = parsed
  const wanted = { query, channelId, rooms, allRooms, authorId, beforeId: beforeId?.toLowerCase() }
  const { ids, searchedTo } = await newestFirst(tx, wanted, bounds, limit + 1)
  const page = sql`
    SELECT id, channel_id, room_id, author_id, text, reply_to_id, created_at, edited_at, pinned_at, mentioned_groups
    FROM messages WHERE id = ANY (${ids.slice(0, limit)}::uuid[]) AND deleted_at IS NULL`
  const hits = (await roomMessages(tx, channelId, page)).toReversed()
  const words = await wordsIn(
    tx,
    q,
    hits.map(({ message }) => message.text),
  )
  return {
    hits: hits.map(({ roomId, message }) => ({ roomId, message, found: rangesOf(message.text, words) })),
    nextBeforeId: ids.length > limit ? (ids[limit - 1] ?? null) : searchedTo,
  }
}

interface ParsedQuery extends Bounds {
  readonly query: string
}

/** The search query; undefined if it has no words or there is no room to search. */
async function parseQuery(tx: Tx, q: string): Promise<ParsedQuery | undefined> {
  const { rows } = await sql<ParsedQuery>`
    SELECT query, o.id AS "oldestId", n.id AS "newestId"
    FROM CAST(websearch_to_tsquery('pg_catalog.russian', ${q}) AS text) AS query
    CROSS JOIN LATERAL (SELECT id FROM messages ORDER BY id LIMIT 1) o
    CROSS JOIN LATERAL (SELECT id FROM messages ORDER BY id DESC LIMIT 1) n
    WHERE query <> ''`.execute(tx.db)
  return rows[0]
}

async function roomsOf(tx: Tx, channelId: string): Promise<string[]> {
  const rooms = tx.db.selectFrom('rooms').select('id').where('channel_id', '=', channelId)
  return (await rooms.execute()).map(({ id }) => id)
}

/** The words of these texts that match the query, as they are written. */
async function wordsIn(tx: Tx, q: string, texts: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ word: string }>`
    SELECT DISTINCT t.token AS word
    FROM unnest(${texts}::text[]) AS x (text), ts_parse('pg_catalog.default', x.text) t
    WHERE tsvector_to_array(to_tsvector('pg_catalog.russian', t.token))
      && tsvector_to_array(to_tsvector('pg_catalog.russian', ${q}))`.execute(tx.db)
  return rows.map(({ word }) => word)
}
