import type { Account } from '@portico/contract'
import { hashKey, type QueryClient } from '@tanstack/svelte-query'
import { tick } from 'svelte'
import { sessionKey } from '#accounts/session.ts'
import { channelsQuery } from '#channels/channel-queries.ts'
import { followPresence } from '#presence/follow-presence.ts'
import { memberQuery } from '#members/member-queries.ts'
import { profile } from '#members/profile.svelte.ts'
import { standingQuery } from '#roles/channel-permissions-query.ts'
import { notifications } from '#notifications/notifications.svelte.ts'
import { followReadings } from '#unread/follow-read-states.ts'
import { pinsQuery } from '#messages/pins-query.ts'
import { deliverMessages } from '#messages/deliver-messages.ts'
import { followMessages } from '#messages/conversations.svelte.ts'
import { readingsQuery } from '#unread/read-states.ts'
import { roomsQuery } from '#rooms/room-queries.ts'
import { goLive, hear, whenMissed, whenResumed } from './live.svelte.ts'
import { readAgain } from './refetch-queries.ts'
import type { Told } from './portal-event.ts'

/**
 * Keeps what was asked for in step with what happens. A query whose key begins with `['of-channel', channelId]` is read
 * anew when anything about that channel changes. Gives the way to stop.
 */
export function follow(client: QueryClient, myId: string): () => void {
  const stale = (queryKey: readonly unknown[]): void => void readAgain(client, { queryKey })
  const isOneself = (userId: string): boolean => userId === client.getQueryData<Account | null>(sessionKey)?.id
  /** Whatever was known of a channel that is gone is nothing to ask for again. */
  const forget = (channelId: string): void => {
    for (const queryKey of [['of-channel', channelId], roomsQuery(channelId).queryKey])
      client.removeQueries({ queryKey })
  }
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
    forget(channelId)
  }
  const changed = async ({ channelId, data: { subject } }: Told<'channel.changed'>): Promise<void> => {
    const channels = readAgain(client, channelsQuery)
    if (subject === 'channel') {
      await channels
      if (!client.getQueryData(channelsQuery.queryKey)?.some(({ id }) => id === channelId)) return forget(channelId)
    }
    stale(roomsQuery(channelId).queryKey)
    // What one may see no longer is gone from the page before it would be asked for.
    const standing = standingQuery(channelId)
    await readAgain(client, standing)
    await tick()
    const isOther = ({ queryHash }: { queryHash: string }): boolean => queryHash !== hashKey(standing.queryKey)
    await readAgain(client, { queryKey: ['of-channel', channelId], predicate: isOther })
  }
  const stops = [
    hear('channel.changed', (told) => void changed(told)),
    hear('member.joined', come),
    hear('member.left', gone),
    hear('member.changed', ({ channelId, data: { member } }) => {
      stale(['of-channel', channelId])
      stale(roomsQuery(channelId).queryKey)
      if (isOneself(member.id)) stale(sessionKey)
    }),
    hear('voice.member_joined', ({ channelId }) => stale(roomsQuery(channelId).queryKey)),
    hear('voice.member_left', ({ channelId }) => stale(roomsQuery(channelId).queryKey)),
    whenMissed(() => void readAgain(client, { predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] })),
    whenResumed(() => {
      stale(readingsQuery.queryKey)
      void readAgain(client, {
        predicate: ({ queryKey: [first, , of] }) => first === 'of-channel' && of === 'members',
      })
    }),
    ...(['message.pinned', 'message.unpinned', 'message.deleted', 'message.updated'] as const).map((event) =>
      hear(event, ({ channelId, data: { roomId } }) => stale(pinsQuery({ channelId, roomId }).queryKey)),
    ),
    deliverMessages(myId),
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
