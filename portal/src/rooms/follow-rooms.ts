import type { Following } from '#live/follower.ts'
import { subscribe } from '#live/live.svelte.ts'
import { roomsQuery } from './room-queries.ts'

/** Keeps up to date who is in voice rooms, and who is live. Returns a function that stops. */
export function followRooms({ refetch }: Following): () => void {
  const events = ['member.changed', 'voice.member_joined', 'voice.member_left', 'stream.live_changed'] as const
  const stops = events.map((event) => subscribe(event, ({ channelId }) => refetch(roomsQuery(channelId).queryKey)))
  return () => {
    for (const stop of stops) stop()
  }
}
