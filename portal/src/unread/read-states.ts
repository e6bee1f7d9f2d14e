import type { RoomReadState } from '@portico/contract'
import { queryOptions, type QueryClient } from '@tanstack/svelte-query'
import { api, type OperationOutput } from '#api.ts'

export type ReadStates = ReadonlyMap<string, RoomReadState>

/** What is unread, muted and read up to where: every room that can be read, of all channels, by its id. */
export const readStatesQuery = queryOptions({
  queryKey: ['readings'],
  queryFn: async ({ signal }): Promise<ReadStates> => {
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

function byRoom(rooms: readonly RoomReadState[]): ReadStates {
  return new Map(rooms.map((reading) => [reading.roomId, reading]))
}

export function setReadStates(client: QueryClient, rooms: readonly RoomReadState[]): void {
  client.setQueryData(readStatesQuery.queryKey, byRoom(rooms))
}

export interface Unread {
  readonly unread: boolean
  readonly mentions: number
}

/** What each channel has for its reader, by its id. A muted room calls nobody. */
export function unreadByChannel(readings: ReadStates | undefined): ReadonlyMap<string, Unread> {
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

export function unreadOf(readings: ReadStates | undefined, channelId: string): Unread {
  return unreadByChannel(readings).get(channelId) ?? { unread: false, mentions: 0 }
}

/** Puts what is known of a room in the place of what was. Of two answers that overtook each other, neither may undo the newer. */
export function setReadState(client: QueryClient, reading: RoomReadState): void {
  const known = client.getQueryData(readStatesQuery.queryKey)
  const before = known?.get(reading.roomId)
  if (!known || (before && before.readUpTo > reading.readUpTo)) return
  // Told before a message that has come meanwhile: whether that one is read, only a newer answer can tell.
  if ((before?.lastMessageId ?? '') > (reading.lastMessageId ?? '')) void client.invalidateQueries(readStatesQuery)
  else client.setQueryData(readStatesQuery.queryKey, new Map([...known, [reading.roomId, reading]]))
  // An answer that is on its way may be older than this, and would take it back.
  if (client.isFetching(readStatesQuery) > 0) void client.invalidateQueries(readStatesQuery)
}

/** Read up to a message, or to the end: shown at once, and told to the server and to the person's other windows. */
export async function markRead(client: QueryClient, roomId: string, messageId?: string): Promise<void> {
  const known = client.getQueryData(readStatesQuery.queryKey)?.get(roomId)
  const upTo = messageId ?? known?.lastMessageId
  if (known && upTo && upTo <= known.readUpTo) return
  if (known && upTo && upTo >= (known.lastMessageId ?? '')) {
    setReadState(client, { ...known, readUpTo: upTo, unread: false, mentions: 0 })
  }
  setReadState(client, await api.markRoomRead({ roomId, ...(messageId && { messageId }) }))
}

export async function markChannelRead(client: QueryClient, channelId: string): Promise<void> {
  await api.markChannelRead({ channelId })
  await client.invalidateQueries(readStatesQuery)
}

export async function setMuted(client: QueryClient, roomId: string, muted: boolean): Promise<void> {
  setReadState(client, await api.muteRoom({ roomId, muted }))
}
