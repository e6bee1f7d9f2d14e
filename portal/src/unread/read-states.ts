import type { RoomReadState } from '@portico/contract'
import { queryOptions, type QueryClient } from '@tanstack/svelte-query'
import { api, type OperationOutput } from '#api/api.ts'
import { REFETCH_PAUSE_MS, Throttle } from '#live/throttle.ts'

export type ReadStates = ReadonlyMap<string, RoomReadState>

const QUERY_KEY = ['read-states']
const throttle = new Throttle(REFETCH_PAUSE_MS)

/** The read state of every readable room in all channels, by room id: unread, muted, and read up to where. */
export const readStatesQuery = queryOptions({
  queryKey: QUERY_KEY,
  queryFn: async ({ client, signal }): Promise<ReadStates> => {
    const before = client.getQueryData<ReadStates>(QUERY_KEY)
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
    return keepNewer(client, byRoom(all), before)
  },
  // Events keep it up to date from then on, except that none announces the end of a mute.
  staleTime: Infinity,
  refetchInterval: ({ state }): number | false => untilUnmuted(state.data),
})

/**
 * A room that changed during the request may have changed after the server read it. Asking again for each such message
 * would never come to an end in a busy channel, so what events say about the messages is kept.
 */
function keepNewer(client: QueryClient, answer: ReadStates, before: ReadStates | undefined): ReadStates {
  const now = client.getQueryData<ReadStates>(QUERY_KEY)
  const merged = [...answer].map(([roomId, answered]): [string, RoomReadState] => {
    const known = now?.get(roomId)
    if (!known || known === before?.get(roomId)) return [roomId, answered]
    const isReadFurther = known.readUpTo > answered.readUpTo
    // The answer is too old, or the room was marked as unread meanwhile: only a newer answer tells which.
    if (isReadFurther) refetchReadStates(client)
    if (!isReadFurther && (known.lastMessageId ?? '') <= (answered.lastMessageId ?? '')) return [roomId, answered]
    const { readUpTo, lastMessageId, unread, mentions } = known
    return [roomId, { ...answered, readUpTo, lastMessageId, unread, mentions }]
  })
  return new Map(merged)
}

export function refetchReadStates(client: QueryClient): void {
  throttle.run('', () => void client.invalidateQueries({ queryKey: QUERY_KEY }))
}

/** Milliseconds until the first mute ends, and a little more for different clocks. False: none ends by itself. */
function untilUnmuted(readStates: ReadStates = new Map()): number | false {
  const ends = [...readStates.values()].flatMap(({ mutedUntil }) => (mutedUntil ? Date.parse(mutedUntil) : []))
  // A timer lasts 24 days at most.
  return ends.length > 0 && Math.min(Math.max(Math.min(...ends) - Date.now(), 0) + 500, 2 ** 31 - 1)
}

function byRoom(rooms: readonly RoomReadState[]): ReadStates {
  return new Map(rooms.map((readState) => [readState.roomId, readState]))
}

export function setReadStates(client: QueryClient, rooms: readonly RoomReadState[]): void {
  client.setQueryData(readStatesQuery.queryKey, byRoom(rooms))
}

export interface Unread {
  readonly unread: boolean
  readonly mentions: number
}

/** The unread messages and mentions of each channel. Muted rooms don't count. */
export function unreadByChannel(readStates: ReadStates | undefined): ReadonlyMap<string, Unread> {
  const channels = new Map<string, Unread>()
  for (const { channelId, muted, unread, mentions } of readStates?.values() ?? []) {
    if (muted) continue
    const other = channels.get(channelId)
    channels.set(channelId, {
      unread: unread || (other?.unread ?? false),
      mentions: mentions + (other?.mentions ?? 0),
    })
  }
  return channels
}

/** Stores a read state. Of two answers that overtake each other, the older must not undo the newer. */
export function setReadState(client: QueryClient, readState: RoomReadState): void {
  const known = client.getQueryData(readStatesQuery.queryKey)
  const before = known?.get(readState.roomId)
  if (!known || (before && before.readUpTo > readState.readUpTo)) return
  // The answer is older than a message that has arrived meanwhile: only a newer answer knows if that one is read.
  if ((before?.lastMessageId ?? '') > (readState.lastMessageId ?? '')) refetchReadStates(client)
  else client.setQueryData(readStatesQuery.queryKey, new Map([...known, [readState.roomId, readState]]))
}

/**
 * Marks a room as read up to a message, or completely: immediately in this window, then on the server, which informs
 * the account's other windows.
 */
export async function markRead(client: QueryClient, roomId: string, messageId?: string): Promise<void> {
  const known = client.getQueryData(readStatesQuery.queryKey)?.get(roomId)
  const upTo = messageId ?? known?.lastMessageId
  if (known && upTo && upTo <= known.readUpTo) return
  if (known && upTo && upTo >= (known.lastMessageId ?? '')) {
    setReadState(client, { ...known, readUpTo: upTo, unread: false, mentions: 0 })
  }
  setReadState(client, await api.markRoomRead({ roomId, ...(messageId && { messageId }) }))
}
