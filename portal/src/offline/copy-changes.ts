import type { PortalEvent } from '#live/portal-event.ts'
import type { OperationOutput } from '#api/api.ts'
import { PAGE } from '#messages/message-page.ts'
import { MessageWindow, type MessageEvent } from '#messages/message-window.svelte.ts'
import { placeOf } from './kept-queries.ts'
import { COPY_LIFE_MS, type CopyChanges, type StoredCopy, type StoredQuery, type StoredRoom } from './copy-store.ts'

/** How many rooms are stored. */
export const MAX_ROOMS = 10

/** What a page knows better than the copy. */
export interface Known {
  readonly myId: string
  readonly now: number
  /** Results that have changed, by the hash of their key. */
  readonly queries: ReadonlyMap<string, StoredQuery>
  /** Rooms whose messages are in memory and up to date, the last one read last. */
  readonly rooms: readonly Omit<StoredRoom, 'readAt'>[]
  /** What has happened since in other rooms. */
  readonly events: ReadonlyMap<string, readonly PortalEvent<MessageEvent>[]>
  /** What the account can read. Undefined while that isn't completely known. */
  readonly readable: { readonly channelIds: ReadonlySet<string>; readonly roomIds: ReadonlySet<string> } | undefined
}

/** How a copy has to change, so that it contains the last rooms read, and nothing that was deleted or is hidden now. */
export function copyChanges({ queries, rooms }: StoredCopy, known: Known): CopyChanges {
  const next = new Map([...rooms].map(([roomId, room]) => [roomId, withEvents(room, known)]))
  for (const [index, room] of known.rooms.entries()) {
    const isLast = index === known.rooms.length - 1
    const readAt = (isLast ? undefined : rooms.get(room.roomId)?.readAt) ?? known.now - known.rooms.length + 1 + index
    next.set(room.roomId, { ...newest(room), readAt })
  }
  const mayRead = ({ channelId, roomId }: { channelId?: string | undefined; roomId?: string | undefined }): boolean =>
    known.readable === undefined ||
    ((channelId === undefined || known.readable.channelIds.has(channelId)) &&
      (roomId === undefined || known.readable.roomIds.has(roomId)))
  const kept = [...next.values()]
    .filter((room) => mayRead(room) && room.readAt > known.now - COPY_LIFE_MS)
    .toSorted((one, other) => other.readAt - one.readAt)
    .slice(0, MAX_ROOMS)
  const keptIds = new Set(kept.map(({ roomId }) => roomId))
  const gone = [...rooms.keys()].filter((roomId) => !keptIds.has(roomId))
  const isGone = ({ queryKey }: StoredQuery): boolean => {
    const place = placeOf(queryKey)
    return !mayRead(place) || (place.roomId !== undefined && gone.includes(place.roomId))
  }
  return {
    rooms: new Map([
      ...gone.map((roomId) => [roomId, undefined] as const),
      ...kept.filter((room) => room !== rooms.get(room.roomId)).map((room) => [room.roomId, room] as const),
    ]),
    queries: new Map<string, StoredQuery | undefined>([
      ...[...queries].flatMap(([hash, query]) => {
        const shown = isGone(query) ? undefined : withoutHidden(query, known)
        return shown === query ? [] : [[hash, shown] as const]
      }),
      ...[...known.queries]
        .filter(([, query]) => !isGone(query))
        .map(([hash, query]) => [hash, withoutHidden(query, known)] as const),
    ]),
  }
}

function withEvents(room: StoredRoom, { myId, events }: Known): StoredRoom {
  const happened = events.get(room.roomId)
  if (!happened) return room
  const window = new MessageWindow(myId)
  window.replace({ ...room, hasNewer: false, readUpTo: '' })
  for (const event of happened) window.apply(event)
  return { ...room, ...newest({ ...room, messages: window.messages }) }
}

function newest<Room extends Pick<StoredRoom, 'messages' | 'hasOlder'>>(room: Room): Room {
  const { messages, hasOlder } = room
  return { ...room, messages: messages.slice(-PAGE), hasOlder: hasOlder || messages.length > PAGE }
}

/** A list of rooms that this page hasn't requested, or couldn't request again, may name one that has become private. */
export function withoutHidden(query: StoredQuery, { readable }: Known): StoredQuery {
  if (query.queryKey[0] !== 'rooms' || !readable) return query
  const list = query.data as OperationOutput<'listRooms'>
  if (list.rooms.every(({ id }) => readable.roomIds.has(id))) return query
  return { ...query, data: { ...list, rooms: list.rooms.filter(({ id }) => readable.roomIds.has(id)) } }
}
