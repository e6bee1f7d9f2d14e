import type { QueryClient } from '@tanstack/svelte-query'
import { sessionQuery } from '#accounts/session.ts'
import { subscribe } from '#live/live.svelte.ts'
import { setReadState, readStatesQuery } from './read-states.ts'

/** Keeps unread marks in step with what is written and with what is read elsewhere. Gives the way to stop. */
export function followReadStates(client: QueryClient): () => void {
  const readAnew = (): void => void client.invalidateQueries(readStatesQuery)
  const stops = [
    subscribe('reading.changed', ({ data: { reading } }) => {
      if (reading) setReadState(client, reading)
      else readAnew()
    }),
    subscribe('message.created', ({ channelId, data: { roomId, message }, shown }) => {
      const known = client.getQueryData(readStatesQuery.queryKey)?.get(roomId)
      const me = client.getQueryData(sessionQuery.queryKey)?.id
      // Told of what the answer may have had already, or after a newer one: only a newer answer can tell.
      if (!known || message.id <= (known.lastMessageId ?? '')) return readAnew()
      const own = message.author.id === me
      const named = !own && shown.mentions.some(({ id }) => id === me)
      setReadState(client, {
        ...known,
        channelId,
        lastMessageId: message.id,
        ...(own
          ? { readUpTo: message.id, unread: false, mentions: 0 }
          : { unread: true, mentions: known.mentions + (named ? 1 : 0) }),
      })
    }),
    // What was deleted may have been the last thing unread, or a mention.
    subscribe('message.deleted', ({ data: { roomId, message } }) => {
      const known = client.getQueryData(readStatesQuery.queryKey)?.get(roomId)
      if (known?.unread && message.id > known.readUpTo) readAnew()
    }),
    // Rooms that come into sight or go out of it.
    subscribe('channel.changed', readAnew),
    subscribe('member.left', readAnew),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}
