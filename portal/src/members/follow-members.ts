import { sessionKey } from '#api/session.ts'
import type { Following } from '#live/follower.ts'
import { onEventsRecovered, subscribe } from '#live/live.svelte.ts'
import { refetchQueries } from '#live/refetch-queries.ts'
import { memberQuery } from './member-queries.ts'
import { profile } from './profile.svelte.ts'

/** Keeps up to date what is shown of members. Returns a function that stops. */
export function followMembers({ client, isOneself, refetch }: Following): () => void {
  const stops = [
    subscribe('member.joined', ({ channelId }) => refetch(['of-channel', channelId])),
    subscribe('member.left', ({ channelId, data: { userId } }) => {
      if (isOneself(userId)) return
      profile.forget({ channelId, userId })
      // A former member must not be requested again.
      client.removeQueries({ queryKey: memberQuery(channelId, userId).queryKey })
      refetch(['of-channel', channelId])
    }),
    subscribe('member.changed', ({ channelId, data: { member } }) => {
      refetch(['of-channel', channelId])
      if (isOneself(member.id)) refetch(sessionKey)
    }),
    onEventsRecovered(() => {
      void refetchQueries(client, {
        predicate: ({ queryKey: [first, , of] }) => first === 'of-channel' && of === 'members',
      })
    }),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}
