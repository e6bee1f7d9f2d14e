import { rightsOf } from '@portico/contract'
import type { Pool } from 'pg'
import { READER_EVENTS } from '../events/reader-events.ts'
import { isSeen, readPlaces, rightsInputOf } from '../operations/authorize.ts'

/** The fields of an event that decide who receives it. */
export interface Happened {
  readonly channelId: string
  readonly roomId: string | null
  readonly event: string
  /** Null: in a room that every member of the channel could read then. */
  readonly botReaders: readonly string[] | null
}

interface Hearing {
  readonly sees: boolean
  readonly reads: boolean
}

interface RoomHearers {
  /** Whether the room's settings let every member of the channel read it. Null: the room doesn't exist. */
  readonly open: boolean | null
  readonly known: Map<string, Hearing>
}

const IS_OPEN = {
  name: 'room_is_open',
  text: `SELECT NOT o.private
      AND NOT EXISTS (SELECT FROM room_overrides v WHERE v.room_id = o.id AND 'read_text_room' = ANY (v.deny))
      AND NOT EXISTS (SELECT FROM roles r WHERE r.channel_id = o.channel_id
        AND r.system_name IN ('CHANNEL_ADMIN', 'CHANNEL_MODERATOR', 'CHANNEL_MEMBER')
        AND NOT 'read_text_room' = ANY (r.rights)) AS open
    FROM rooms o WHERE o.id = $1::uuid`,
}

/**
 * Which of the connected people may receive the events of a room. Cached until the log says that the channel was changed,
 * so that a message needs no database query.
 */
export class Audience {
  readonly #pool: Pool
  readonly #channels = new Map<string, Map<string, RoomHearers>>()

  constructor(pool: Pool) {
    this.#pool = pool
  }

  channelChanged(channelId: string): void {
    this.#channels.delete(channelId)
  }

  forgetAll(): void {
    this.#channels.clear()
  }

  /** Whether it is cached that all people of the channel may receive it. */
  isForAll({ channelId, roomId }: Happened): boolean {
    return roomId === null || this.#channels.get(channelId)?.get(roomId)?.open === true
  }

  /** Those of these people who may receive it. Undefined: not cached. */
  known(happened: Happened, accountIds: readonly string[]): ReadonlySet<string> | undefined {
    const { channelId, roomId } = happened
    if (roomId === null || accountIds.length === 0) return new Set(accountIds)
    const room = this.#channels.get(channelId)?.get(roomId)
    return room && among(room, happened, accountIds)
  }

  /** The same, reading from the database what is not cached. */
  async of(happened: Happened, accountIds: readonly string[]): Promise<ReadonlySet<string>> {
    const { channelId, roomId } = happened
    if (roomId === null) return new Set(accountIds)
    const room = await this.#room(channelId, roomId)
    const known = among(room, happened, accountIds)
    if (known) return known
    const unknown = accountIds.filter((id) => !room.known.has(id))
    const found = await hearings(
      this.#pool,
      unknown.map((id) => [id, channelId, roomId]),
    )
    for (const [nth, id] of unknown.entries()) room.known.set(id, found[nth] ?? NOTHING)
    return among(room, happened, accountIds) ?? new Set()
  }

  async #room(channelId: string, roomId: string): Promise<RoomHearers> {
    let rooms = this.#channels.get(channelId)
    if (!rooms) this.#channels.set(channelId, (rooms = new Map()))
    let room = rooms.get(roomId)
    if (!room) {
      const { rows } = await this.#pool.query<{ open: boolean }>({ ...IS_OPEN, values: [roomId] })
      // Written into the map from before the query: if the channel was changed meanwhile, that map has been dropped.
      rooms.set(roomId, (room = { open: rows[0]?.open ?? null, known: new Map() }))
    }
    return room
  }
}

/** What one person may receive of these events now. */
export async function heardBy<H extends Happened>(pool: Pool, accountId: string, happened: readonly H[]): Promise<H[]> {
  const rooms = [...new Map(happened.map((one) => [one.roomId, one])).values()].filter(({ roomId }) => roomId !== null)
  const found = await hearings(
    pool,
    rooms.map(({ channelId, roomId }) => [accountId, channelId, roomId]),
  )
  const known = new Map(rooms.map(({ roomId }, nth) => [roomId, found[nth]]))
  return happened.filter((one) => {
    if (one.roomId === null) return true
    const hearing = known.get(one.roomId)
    if (hearing) return hears(one, hearing)
    // The room is deleted, and with it its messages.
    return one.botReaders === null && !READER_EVENTS.has(one.event)
  })
}

const NOTHING: Hearing = { sees: false, reads: false }

function hears({ event }: Happened, { sees, reads }: Hearing): boolean {
  return READER_EVENTS.has(event) ? reads : sees
}

/** Undefined if it is not cached for all of them. */
function among(
  { open, known }: RoomHearers,
  happened: Happened,
  accountIds: readonly string[],
): ReadonlySet<string> | undefined {
  if (open ?? happened.botReaders === null) return new Set(accountIds)
  if (open === null) return new Set()
  const hearing = new Set<string>()
  for (const id of accountIds) {
    const its = known.get(id)
    if (!its) return undefined
    if (hears(happened, its)) hearing.add(id)
  }
  return hearing
}

/** Undefined if the channel has no such room. */
async function hearings(
  pool: Pool,
  asked: readonly (readonly [accountId: string, channelId: string, roomId: string | null])[],
): Promise<(Hearing | undefined)[]> {
  if (asked.length === 0) return []
  const places = await readPlaces(pool, asked)
  return asked.map(([accountId], nth) => {
    const row = places.get(nth)
    if (!row || row.roomId === null) return undefined
    const isOwner = row.ownerId === accountId
    const sees = isSeen(row, isOwner)
    return { sees, reads: sees && rightsOf(rightsInputOf(row, isOwner)).has('read_text_room') }
  })
}
