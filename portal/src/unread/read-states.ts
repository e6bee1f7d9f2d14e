import type { RoomReadState } from '@portico/contract'
import { queryOptions, type QueryClient } from '@tanstack/svelte-query'
import { api, type OperationOutput } from '#api.ts'

export type Readings = ReadonlyMap<string, RoomReadState>

/** What is unread, muted and read up to where: every room that can be read, of all channels, by its id. */
export const readingsQuery = queryOptions({
  queryKey: ['readings'],
  queryFn: async ({ signal }): Promise<Readings> => {
    const all: RoomReadState[] = []
    let afterId: string | null = null
    do {
      const page: OperationOutput<'listReadStates'> = await api.listReadStates(
        { ...(afterId && { afterId }) },
        { signal },
      )
      all.push(...page.rooms)
      afterId = page.nextAfterId
    } while (afterId !== null)
    return byRoom(all)
  },
  // Moved by events from then on.
  staleTime: Infinity,
})

function byRoom(rooms: readonly RoomReadState[]): Readings {
  return new Map(rooms.map((reading) => [reading.roomId, reading]))
}

export function noteReadings(client: QueryClient, rooms: readonly RoomReadState[]): void {
  client.setQueryData(readingsQuery.queryKey, byRoom(rooms))
}

export interface Unread {
  readonly unread: boolean
  readonly mentions: number
}

/** What each channel has for its reader, by its id. A muted room calls nobody. */
export function unreadByChannel(readings: Readings | undefined): ReadonlyMap<string, Unread> {
  const channels = new Map<string, Unread>()
  for (const { channelId, muted, unread, mentions } of readings?.values() ?? []) {
    if (muted) continue
    const other = channels.get(channelId)
    channels.set(channelId, {
      unread: unread || (other?.unread ?? false),
      mentions: mentions + (other?.mentions ?? 0),
    })
  }
  return channels
}

export function unreadOf(readings: Readings | undefined, channelId: string): Unread {
  return unreadByChannel(readings).get(channelId) ?? { unread: false, mentions: 0 }
}

/** Puts what is known of a room in the place of what was. Of two answers that overtook each other, neither may undo the newer. */
export function noteReading(client: QueryClient, reading: RoomReadState): void {
  const known = client.getQueryData(readingsQuery.queryKey)
  const before = known?.get(reading.roomId)
  if (!known || (before && before.readUpTo > reading.readUpTo)) return
  // Told before a message that has come meanwhile: whether that one is read, only a newer answer can tell.
  if ((before?.lastMessageId ?? '') > (reading.lastMessageId ?? '')) void client.invalidateQueries(readingsQuery)
  else client.setQueryData(readingsQuery.queryKey, new Map([...known, [reading.roomId, reading]]))
  // An answer that is on its way may be older than this, and would take it back.
  if (client.isFetching(readingsQuery) > 0) void client.invalidateQueries(readingsQuery)
}

/** Read up to a message, or to the end: shown at once, and told to the server and to the person's other windows. */
export async function markRead(client: QueryClient, roomId: string, messageId?: string): Promise<void> {
  const known = client.getQueryData(readingsQuery.queryKey)?.get(roomId)
  const upTo = messageId ?? known?.lastMessageId
  if (known && upTo && upTo <= known.readUpTo) return
  if (known && upTo && upTo >= (known.lastMessageId ?? '')) {
    noteReading(client, { ...known, readUpTo: upTo, unread: false, mentions: 0 })
  }
  noteReading(client, await api.markRoomRead({ roomId, ...(messageId && { messageId }) }))
}

export async function markChannelRead(client: QueryClient, channelId: string): Promise<void> {
  await api.markChannelRead({ channelId })
  await client.invalidateQueries(readingsQuery)
}

export async function setMuted(client: QueryClient, roomId: string, muted: boolean): Promise<void> {
  noteReading(client, await api.muteRoom({ roomId, muted }))
}
