import { sql } from 'kysely'
import type { Tx } from '../operations/transaction.ts'

/** The search query and its scope. */
export interface Wanted {
  /** As a tsquery: `'build' & 'night'`. */
  readonly query: string
  readonly channelId: string
  /** The rooms to search, and all rooms of the channel. */
  readonly rooms: readonly string[]
  readonly allRooms: readonly string[]
  readonly authorId?: string | undefined
  readonly beforeId?: string | undefined
}

/** The messages of all channels. */
export interface Bounds {
  readonly oldestId: string
  readonly newestId: string
  /** How many there are, as the statistics of the database say; negative if there are none yet. */
  readonly messages: number
}

export interface Found {
  readonly ids: string[]
  /** Everything from this id on was searched; null: everything. */
  readonly searchedTo: string | null
  /** How many messages were read. */
  readonly read: number
}

/** How many messages one step should read, and all steps together at most: reading them is the cost of a search. */
const STEP = 500
const WHOLE = 4000
/**
 * Beyond this many messages or steps, the rest is left to the next page, so that no request takes long: a phrase of frequent
 * words may be rare, and each message with its words is read. The portal asks for the next page while it has found nothing.
 */
const MOST_READ = 2000
const MOST_STEPS = 8

/** Time is counted in units of 17 minutes, the first seven digits of an id; large slices use the first five. */
const LARGE = 256
/** At least half an hour. */
const FEWEST_SLICES = 2
/** How much more time a step covers than the hits so far make likely. */
const MARGIN = 2
/** Each slice is one index lookup for every message that contains the words. */
const MOST_SLICES = 8

/**
 * Searches back in time, step by step, until enough is found. The size of a step depends on the hits so far, so that few
 * more messages are read than are shown, for frequent and rare words alike.
 */
export async function newestFirst(tx: Pick<Tx, 'db'>, wanted: Wanted, bounds: Bounds, most: number): Promise<Found> {
  const [oldest, newest] = [unitOf(bounds.oldestId), unitOf(bounds.newestId)]
  const start = Math.min(newest, unitOf(wanted.beforeId ?? bounds.newestId)) + 1
  const ids: string[] = []
  let end = start
  let read = 0
  for (let steps = 0; ids.length < most && end > oldest; steps += 1) {
    if (read > MOST_READ || steps === MOST_STEPS) return { ids, searchedTo: firstIdOf(end), read }
    const rarity = (start - end) / (read + 1)
    const needed = ((start - end) / (ids.length + 1)) * (most - ids.length) * MARGIN
    // A few large slices are expected to have enough, and not many more.
    const isNear = steps > 0 && needed <= MOST_SLICES * LARGE && FEWEST_SLICES * LARGE <= rarity * MOST_READ
    const whole = steps > 0 && !isNear && newest - oldest <= rarity * WHOLE
    const span = steps > 0 ? rarity * STEP : firstSpan(bounds, newest - oldest)
    const { slices, begin } = whole
      ? { slices: [], begin: oldest }
      : sliceBefore(end, isNear ? Math.max(LARGE, Math.min(needed, span)) : span)
    const { rows } = await foundIn(wanted, { slices, end }, most - ids.length).execute(tx.db)
    for (const step of rows) {
      ids.push(...step.ids)
      read += step.read
    }
    end = begin
  }
  return { ids, searchedTo: null, read }
}

/** The time of so many messages of all channels, as if each contained the words. Statistics may be old, so not more than some days. */
function firstSpan({ messages }: Bounds, whole: number): number {
  return messages > 0 ? Math.min(LARGE, (whole / messages) * STEP) : 0
}

/** The slices that cover about this many units before `end`. The newest large one may reach beyond it. */
function sliceBefore(end: number, span: number): { slices: string[]; begin: number } {
  const [size, digits] = span < LARGE ? [1, 7] : [LARGE, 5]
  const last = Math.ceil(end / size) - 1
  const count = Math.min(MOST_SLICES, last + 1, Math.max(FEWEST_SLICES, Math.floor(span / size)))
  const slices = Array.from({ length: count }, (_, back) => (last - back).toString(16).padStart(digits, '0'))
  return { slices, begin: (last - count + 1) * size }
}

function unitOf(id: string): number {
  return Number.parseInt(id.slice(0, 7), 16)
}

function firstIdOf(unit: number): string {
  return `${unit.toString(16).padStart(7, '0')}0-0000-0000-0000-000000000000`
}

interface Step {
  ids: string[]
  read: number
}

/** What can be found of a message with cards. As in the migration of its index. */
const withCards = sql.raw(String.raw`text || E'\n' || card_words(cards)`)

/**
 * Uses the full-text indexes alone first: with another index to choose from, the database may read every message of the
 * channel.
 */
export function foundIn(wanted: Wanted, { slices, end }: { slices: readonly string[]; end: number }, most: number) {
  const { query, channelId, rooms, allRooms, authorId, beforeId } = wanted
  const keys = [key('c', channelId), roomKeys(rooms, allRooms), authorId && key('a', authorId), anyOf(slices)]
  const condition = [`(${withoutOrder(query)})`, ...keys.filter(Boolean)].join(' & ')
  const ordered = query.includes('<') ? sql`AND to_tsvector('pg_catalog.russian', words) @@ ${query}::tsquery` : sql``
  return sql<Step>`
    WITH met AS MATERIALIZED (
      SELECT id, channel_id, room_id, author_id, text AS words FROM messages
      WHERE deleted_at IS NULL AND cards IS NULL
        AND search_keys(id, channel_id, room_id, author_id, text) @@ ${condition}::tsquery
      UNION ALL
      SELECT id, channel_id, room_id, author_id, ${withCards} FROM messages
      WHERE deleted_at IS NULL AND cards IS NOT NULL
        AND search_keys(id, channel_id, room_id, author_id, ${withCards}) @@ ${condition}::tsquery
    )
    SELECT (SELECT count(*)::int FROM met) AS read, ARRAY(
      SELECT id FROM met
      WHERE channel_id = ${channelId}::uuid AND room_id = ANY (${rooms}::uuid[])
        AND author_id = coalesce(${authorId ?? null}::uuid, author_id)
        AND id < ${beforeId ?? LAST}::uuid AND id < ${firstIdOf(end)}::uuid ${ordered}
      ORDER BY id DESC LIMIT ${most}) AS ids`
}

/** Sorts after every id. */
const LAST = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/**
 * The index has no positions: for a phrase it finds all messages with its words. Negated words are left alone, or too much
 * would be excluded.
 */
function withoutOrder(query: string): string {
  return query.includes('!') ? query : query.replaceAll(/<(?:-|\d+)>/g, '&')
}

/** Whichever list is shorter: the rooms to search, or the rooms to exclude. */
function roomKeys(rooms: readonly string[], all: readonly string[]): string {
  const searched = new Set(rooms)
  const others = all.filter((id) => !searched.has(id))
  if (others.length === 0) return ''
  if (rooms.length <= others.length) return `(${rooms.map((id) => key('r', id)).join(' | ')})`
  return others.map((id) => `!${key('r', id)}`).join(' & ')
}

/** Must match `search_keys` in the migrations. */
function key(kind: 'c' | 'r' | 'a', id: string): string {
  return `'#${kind}${id.slice(-12).toLowerCase()}'`
}

function anyOf(slices: readonly string[]): string {
  return slices.length === 0 ? '' : `(${slices.map((slice) => `'#${slice}'`).join(' | ')})`
}
