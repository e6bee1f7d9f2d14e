import type { Following } from '#live/follower.ts'
import { subscribe } from '#live/live.svelte.ts'
import { pinsQuery } from './pins-query.ts'

/** Keeps lists of pinned messages up to date. Returns a function that stops. */
export function followPins({ refetch }: Following): () => void {
  const events = ['message.pinned', 'message.unpinned', 'message.deleted', 'message.updated'] as const
  const stops = events.map((event) =>
    subscribe(event, ({ channelId, data: { roomId } }) => refetch(pinsQuery({ channelId, roomId }).queryKey)),
  )
  return () => {
    for (const stop of stops) stop()
  }
}
