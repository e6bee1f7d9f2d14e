import { availableParallelism } from 'node:os'
import { textsOfCards, type Card, type Input, type Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import type { ChannelPlace } from '../operations/authorize.ts'
import { readableRooms } from '../rooms/readable-rooms.ts'
import { Semaphore } from '../operations/semaphore.ts'
import type { Services } from '../operations/services.ts'
import type { Tx } from '../operations/transaction.ts'
import { rangesOf, type Range } from './found-ranges.ts'
import { newestFirst, type Bounds, type Found } from './newest-first.ts'
import { roomMessages } from './room-messages.ts'

/** Looking for messages keeps a core of the database busy: one core and most connections stay free for other requests. */
const searching = new Semaphore({
  atOnce: Math.min(3, Math.max(1, availableParallelism() - 1)),
  queueLength: 40,
  message: 'Too many people are searching right now. Try again in a few seconds.',
})

export async function searchMessages(
  tx: Tx,
  input: Input<typeof api.searchMessages>,
  { channelId }: ChannelPlace,
  { replica }: Pick<Services, 'replica'>,
): Promise<Output<typeof api.searchMessages>> {
  const { q, limit = 25 } = input
  const read = <T>(work: (db: Tx['db']) => Promise<T>): Promise<T> =>
    replica ? replica.read(work, tx.db) : work(tx.db)
  // What follows takes as long for every search, and the next one doesn't wait for it.
  const found = await searching.run(() => read((db) => findIds(tx, db, { ...input, limit: limit + 1 })))
  if (!found) return { hits: [], nextBeforeId: null }

  const { ids, searchedTo } = found
  const page = sql`
    SELECT id, channel_id, room_id, author_id, text, reply_to_id, created_at, edited_at, pinned_at, mentioned_groups, cards,
      components, streaming
    FROM messages WHERE id = ANY (${ids.slice(0, limit)}::uuid[]) AND deleted_at IS NULL`
  const hits = (await roomMessages(tx, channelId, page)).toReversed()
  const texts = hits.flatMap(({ message: { text, cards = [] } }) => [text, ...textsOfCards(cards)])
  const words = await read((db) => wordsIn(db, q, texts))
  return {
    hits: hits.map(({ roomId, message }) => {
      const inCard = firstFound(message.cards, words)
      return { roomId, message, found: rangesOf(message.text, words), ...(inCard && { inCard }) }
    }),
    nextBeforeId: ids.length > limit ? (ids[limit - 1] ?? null) : searchedTo,
  }
}

/** The first text of the cards with one of the words. */
function firstFound(
  cards: readonly Card[] = [],
  words: readonly string[],
): { text: string; found: Range[] } | undefined {
  return textsOfCards(cards)
    .map((text) => ({ text, found: rangesOf(text, words) }))
    .find(({ found }) => found.length > 0)
}

/** The newest messages that match, in `db`; undefined if there is nothing to search for or nowhere to search. */
async function findIds(
  tx: Tx,
  db: Tx['db'],
  { q, channelId, roomId, authorId, beforeId, limit }: Input<typeof api.searchMessages> & { readonly limit: number },
): Promise<Found | undefined> {
  const [readable, parsed] = await Promise.all([readableRooms(tx, [channelId]), parseQuery(db, q, channelId)])
  const rooms = roomId === undefined ? readable : readable.filter((id) => id === roomId.toLowerCase())
  if (!parsed || rooms.length === 0) return undefined
  const { query, allRooms, ...bounds } = parsed
  const wanted = { query, channelId, rooms, allRooms, authorId, beforeId: beforeId?.toLowerCase() }
  return newestFirst({ db }, wanted, bounds, limit)
}

interface ParsedQuery extends Bounds {
  readonly query: string
  /** The rooms of the channel. */
  readonly allRooms: string[]
}

/** The search query; undefined if it has no words or there are no messages. */
async function parseQuery(db: Tx['db'], q: string, channelId: string): Promise<ParsedQuery | undefined> {
  const { rows } = await sql<ParsedQuery>`
    SELECT query, o.id AS "oldestId", n.id AS "newestId",
      (SELECT reltuples FROM pg_class WHERE oid = 'messages'::regclass) AS messages,
      ARRAY(SELECT id::text FROM rooms WHERE channel_id = ${channelId}::uuid) AS "allRooms"
    FROM CAST(websearch_to_tsquery('pg_catalog.russian', ${q}) AS text) AS query
    CROSS JOIN LATERAL (SELECT id FROM messages ORDER BY id LIMIT 1) o
    CROSS JOIN LATERAL (SELECT id FROM messages ORDER BY id DESC LIMIT 1) n
    WHERE query <> ''`.execute(db)
  return rows[0]
}

/** What the parser of PostgreSQL calls spaces and punctuation. */
const BLANK = sql.lit(12)

/** The words of these texts that match the query, as they are written. Each is looked at once, however often it is written. */
async function wordsIn(db: Tx['db'], q: string, texts: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ word: string }>`
    WITH query AS MATERIALIZED (SELECT tsvector_to_array(to_tsvector('pg_catalog.russian', ${q})) AS lexemes),
    words AS MATERIALIZED (
      SELECT DISTINCT t.token AS word
      FROM unnest(${texts}::text[]) AS x (text), ts_parse('pg_catalog.default', x.text) t WHERE t.tokid <> ${BLANK}
    )
    SELECT word FROM words, query WHERE tsvector_to_array(to_tsvector('pg_catalog.russian', word)) && lexemes`.execute(
    db,
  )
  return rows.map(({ word }) => word)
}
