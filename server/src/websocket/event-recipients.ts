import { rightsOf } from '@portico/contract'
import type { Pool } from 'pg'
import { READER_EVENTS } from '../events/reader-events.ts'
import { isSeen, readPlaces, rightsInputOf } from '../operations/authorize.ts'

/** The fields of an event that decide who receives it. */
export interface DeliverableEvent {
  readonly channelId: string
  readonly roomId: string | null
  readonly event: string
  /** Null: in a room that every member of the channel could read then. */
  readonly botReaders: readonly string[] | null
}

/** What a person may do in a room, as far as events are concerned. */
interface RoomAccess {
  readonly sees: boolean
  readonly reads: boolean
}

/** Whose access to a room is cached. */
interface CachedRoom {
  /** Whether the room's settings let every member of the channel read it. Null: the room doesn't exist. */
  readonly open: boolean | null
  readonly access: Map<string, RoomAccess>
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
export class EventRecipients {
  readonly #pool: Pool
  readonly #channels = new Map<string, Map<string, CachedRoom>>()

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
  isForAll({ channelId, roomId }: DeliverableEvent): boolean {
    return roomId === null || this.#channels.get(channelId)?.get(roomId)?.open === true
  }

  /** Those of these people who may receive it. Undefined: not cached. */
  cached(event: DeliverableEvent, accountIds: readonly string[]): ReadonlySet<string> | undefined {
    const { channelId, roomId } = event
    if (roomId === null || accountIds.length === 0) return new Set(accountIds)
    const room = this.#channels.get(channelId)?.get(roomId)
    return room && selectRecipients(room, event, accountIds)
  }

  /** The same, reading from the database what is not cached. */
  async read(event: DeliverableEvent, accountIds: readonly string[]): Promise<ReadonlySet<string>> {
    const { channelId, roomId } = event
    if (roomId === null) return new Set(accountIds)
    const room = await this.#room(channelId, roomId)
    const cached = selectRecipients(room, event, accountIds)
    if (cached) return cached
    const unknown = accountIds.filter((id) => !room.access.has(id))
    const found = await readAccess(
      this.#pool,
      unknown.map((id) => [id, channelId, roomId]),
    )
    for (const [position, id] of unknown.entries()) room.access.set(id, found[position] ?? NO_ACCESS)
    return selectRecipients(room, event, accountIds) ?? new Set()
  }

  async #room(channelId: string, roomId: string): Promise<CachedRoom> {
    let rooms = this.#channels.get(channelId)
    if (!rooms) this.#channels.set(channelId, (rooms = new Map()))
    let room = rooms.get(roomId)
    if (!room) {
      const { rows } = await this.#pool.query<{ open: boolean }>({ ...IS_OPEN, values: [roomId] })
      // Written into the map from before the query: if the channel was changed meanwhile, that map has been dropped.
      rooms.set(roomId, (room = { open: rows[0]?.open ?? null, access: new Map() }))
    }
    return room
  }
}

/** The events among these that one person may receive now. */
export async function selectReceivable<E extends DeliverableEvent>(
  pool: Pool,
  accountId: string,
  events: readonly E[],
): Promise<E[]> {
  const inRooms = [...new Map(events.map((event) => [event.roomId, event])).values()].filter(
    ({ roomId }) => roomId !== null,
  )
  const found = await readAccess(
    pool,
    inRooms.map(({ channelId, roomId }) => [accountId, channelId, roomId]),
  )
  const accessByRoom = new Map(inRooms.map(({ roomId }, position) => [roomId, found[position]]))
  return events.filter((event) => {
    if (event.roomId === null) return true
    const access = accessByRoom.get(event.roomId)
    return access ? mayReceive(event, access) : outlivesRoom(event)
  })
}

const NO_ACCESS: RoomAccess = { sees: false, reads: false }

function mayReceive({ event }: DeliverableEvent, { sees, reads }: RoomAccess): boolean {
  return READER_EVENTS.has(event) ? reads : sees
}

/** Whether everyone may receive an event of a room that is deleted: its messages are deleted with it. */
function outlivesRoom({ event, botReaders }: DeliverableEvent): boolean {
  return botReaders === null && !READER_EVENTS.has(event)
}

/** Those of these people who may receive it. Undefined: not cached for all of them. */
function selectRecipients(
  { open, access }: CachedRoom,
  event: DeliverableEvent,
  accountIds: readonly string[],
): ReadonlySet<string> | undefined {
  if (open ?? outlivesRoom(event)) return new Set(accountIds)
  if (open === null) return new Set()
  const recipients = new Set<string>()
  for (const id of accountIds) {
    const own = access.get(id)
    if (!own) return undefined
    if (mayReceive(event, own)) recipients.add(id)
  }
  return recipients
}

/** Undefined where the channel has no such room. */
async function readAccess(
  pool: Pool,
  requested: readonly (readonly [accountId: string, channelId: string, roomId: string | null])[],
): Promise<(RoomAccess | undefined)[]> {
  if (requested.length === 0) return []
  const places = await readPlaces(pool, requested)
  return requested.map(([accountId], position) => {
    const row = places.get(position)
    if (!row || row.roomId === null) return undefined
    const isOwner = row.ownerId === accountId
    const sees = isSeen(row, isOwner)
    return { sees, reads: sees && rightsOf(rightsInputOf(row, isOwner)).has('read_text_room') }
  })
}
