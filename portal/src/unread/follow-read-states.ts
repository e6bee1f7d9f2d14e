import type { QueryClient } from '@tanstack/svelte-query'
import { sessionQuery } from '#api/session.ts'
import { subscribe } from '#live/live.svelte.ts'
import { refetchReadStates, setReadState, readStatesQuery } from './read-states.ts'

/**
 * Keeps unread marks up to date with new messages and with what is read on other devices. Returns a function that
 * stops.
 */
export function followReadStates(client: QueryClient): () => void {
  const refetch = (): void => refetchReadStates(client)
  const stops = [
    subscribe('reading.changed', ({ data: { reading: readState } }) => {
      if (readState) setReadState(client, readState)
      else refetch()
    }),
    subscribe('message.created', ({ channelId, data: { roomId, message }, shown }) => {
      const known = client.getQueryData(readStatesQuery.queryKey)?.get(roomId)
      const me = client.getQueryData(sessionQuery.queryKey)?.id
      // The read state may already include this message, or be older than it: only the server knows.
      if (!known || message.id <= (known.lastMessageId ?? '')) return refetch()
      const own = message.author.id === me
      const groups = shown.mentionedGroups ?? []
      const everyone = groups.some((group) => group === 'everyone' || group === 'here')
      // Whether a role is one of the reader's is not known here.
      if (!own && groups.length > 0 && !everyone) return refetch()
      const named = !own && (everyone || shown.mentions.some(({ id }) => id === me))
      setReadState(client, {
        ...known,
        channelId,
        lastMessageId: message.id,
        ...(own
          ? { readUpTo: message.id, unread: false, mentions: 0 }
          : { unread: true, mentions: known.mentions + (named ? 1 : 0) }),
      })
    }),
    // The deleted message may have been the last unread one, or a mention.
    subscribe('message.deleted', ({ data: { roomId, message } }) => {
      const known = client.getQueryData(readStatesQuery.queryKey)?.get(roomId)
      if (known?.unread && message.id > known.readUpTo) refetch()
    }),
    // The edit may have taken a mention back.
    subscribe('message.updated', ({ data: { roomId, message } }) => {
      const known = client.getQueryData(readStatesQuery.queryKey)?.get(roomId)
      if (known && known.mentions > 0 && message.id > known.readUpTo) refetch()
    }),
    // Rooms that become visible or invisible.
    subscribe('channel.changed', refetch),
    subscribe('member.left', refetch),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}
