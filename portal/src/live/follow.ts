import type { Account } from '@portico/contract'
import type { QueryClient } from '@tanstack/svelte-query'
import { sessionKey } from '#accounts/session.ts'
import { channelsQuery } from '#channels/channel-queries.ts'
import { followPresence } from '#members/follow-presence.ts'
import { memberQuery } from '#members/member-queries.ts'
import { profile } from '#members/profile.svelte.ts'
import { notifications } from '#notifications/notifications.svelte.ts'
import { followReadings } from '#reading/follow-readings.ts'
import { pinsQuery } from '#messages/pins-query.ts'
import { followMessages } from '#messages/talks.svelte.ts'
import { roomsQuery } from '#rooms/room-queries.ts'
import { goLive, hear, whenMissed } from './live.svelte.ts'
import type { Told } from './told.ts'

/**
 * Keeps what was asked for in step with what happens. A query whose key begins with `['of-channel', channelId]` is read
 * anew when anything about that channel changes. Gives the way to stop.
 */
export function follow(client: QueryClient): () => void {
  const stale = (queryKey: readonly unknown[]): void => void client.invalidateQueries({ queryKey })
  const isOneself = (userId: string): boolean => userId === client.getQueryData<Account | null>(sessionKey)?.id
  const come = ({ channelId, data: { userId } }: Told<'member.joined'>): void => {
    stale(['of-channel', channelId])
    if (isOneself(userId)) stale(channelsQuery.queryKey)
  }
  const gone = ({ channelId, data: { userId } }: Told<'member.left'>): void => {
    if (!isOneself(userId)) {
      profile.forget({ channelId, userId })
      // Who is gone is nobody to ask for again.
      client.removeQueries({ queryKey: memberQuery(channelId, userId).queryKey })
      return stale(['of-channel', channelId])
    }
    client.setQueryData(channelsQuery.queryKey, (known) => known?.filter(({ id }) => id !== channelId))
    // A list that was asked for while one still belonged would bring the channel back.
    stale(channelsQuery.queryKey)
    // Whatever was known of the channel is nothing to ask for again.
    for (const queryKey of [['of-channel', channelId], roomsQuery(channelId).queryKey])
      client.removeQueries({ queryKey })
  }
  const stops = [
    hear('channel.changed', ({ channelId }) => {
      stale(channelsQuery.queryKey)
      stale(roomsQuery(channelId).queryKey)
      stale(['of-channel', channelId])
    }),
    hear('member.joined', come),
    hear('member.left', gone),
    hear('voice.member_joined', ({ channelId }) => stale(roomsQuery(channelId).queryKey)),
    hear('voice.member_left', ({ channelId }) => stale(roomsQuery(channelId).queryKey)),
    whenMissed(() => void client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] })),
    ...(['message.pinned', 'message.unpinned', 'message.deleted', 'message.updated'] as const).map((event) =>
      hear(event, ({ channelId, data: { roomId } }) => stale(pinsQuery({ channelId, roomId }).queryKey)),
    ),
    followMessages(),
    followReadings(client),
    followPresence(client),
    notifications.follow(client),
    goLive(() => stale(sessionKey)),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}
