import type { Account } from '@portico/contract'
import { hashKey, type QueryClient } from '@tanstack/svelte-query'
import { tick } from 'svelte'
import { reloadForOtherAccount } from '#accounts/reload-for-other-account.ts'
import { sessionKey } from '#api/session.ts'
import { applyChannelOrder } from '#channels/channel-order.ts'
import { channelsQuery } from '#channels/channel-queries.ts'
import { reportUncaught } from '#defects/report-uncaught.ts'
import { followPresence } from '#presence/follow-presence.ts'
import { memberQuery } from '#members/member-queries.ts'
import { profile } from '#members/profile.svelte.ts'
import { channelPermissionsQuery } from '#roles/channel-permissions-query.ts'
import { followActivity } from '#notifications/follow-activity.ts'
import { followAppBadge } from '#notifications/follow-app-badge.ts'
import { keepCopy } from '#offline/keep-copy.svelte.ts'
import { notifications } from '#notifications/notifications.svelte.ts'
import { push } from '#notifications/push.svelte.ts'
import { followReadStates } from '#unread/follow-read-states.ts'
import { pinsQuery } from '#messages/pins-query.ts'
import { deliverMessages } from '#messages/deliver-messages.ts'
import { followMessages } from '#messages/follow-messages.ts'
import { readStatesQuery } from '#unread/read-states.ts'
import { roomsQuery } from '#rooms/room-queries.ts'
import { connectLive, subscribe, onEventsMissed, onEventsRecovered } from '#live/live.svelte.ts'
import { refetchQueries } from '#live/refetch-queries.ts'
import { REFETCH_PAUSE_MS, Throttle } from '#live/throttle.ts'
import type { PortalEvent } from '#live/portal-event.ts'

/**
 * Keeps cached queries up to date with events. Queries whose key begins with `['of-channel', channelId]` are refetched
 * when anything in that channel changes. Returns a function that stops.
 */
export function follow(client: QueryClient, myId: string): () => void {
  const throttle = new Throttle(REFETCH_PAUSE_MS)
  const stale = (queryKey: readonly unknown[]): void =>
    throttle.run(hashKey(queryKey), () => void refetchQueries(client, { queryKey }))
  const isOneself = (userId: string): boolean => userId === client.getQueryData<Account | null>(sessionKey)?.id
  /** A channel that is gone must not be requested again. */
  const forget = (channelId: string): void => {
    for (const queryKey of [['of-channel', channelId], roomsQuery(channelId).queryKey])
      client.removeQueries({ queryKey })
  }
  const come = ({ channelId, data: { userId } }: PortalEvent<'member.joined'>): void => {
    stale(['of-channel', channelId])
    if (isOneself(userId)) stale(channelsQuery.queryKey)
  }
  const gone = ({ channelId, data: { userId } }: PortalEvent<'member.left'>): void => {
    if (!isOneself(userId)) {
      profile.forget({ channelId, userId })
      // A former member must not be requested again.
      client.removeQueries({ queryKey: memberQuery(channelId, userId).queryKey })
      return stale(['of-channel', channelId])
    }
    client.setQueryData(channelsQuery.queryKey, (known) => known?.filter(({ id }) => id !== channelId))
    // A list that was requested before the membership ended would bring the channel back.
    stale(channelsQuery.queryKey)
    forget(channelId)
  }
  /** Only members receive the events of a channel, so the log doesn't say that the membership has ended. */
  const forgetLeftChannels = async (): Promise<void> => {
    const known = client.getQueryData(channelsQuery.queryKey) ?? []
    await refetchQueries(client, channelsQuery)
    const ids = new Set(client.getQueryData(channelsQuery.queryKey)?.map(({ id }) => id))
    for (const { id } of known) if (!ids.has(id)) forget(id)
  }
  const changed = async ({ channelId, data: { subject } }: PortalEvent<'channel.changed'>): Promise<void> => {
    const channels = refetchQueries(client, channelsQuery)
    if (subject === 'channel') {
      await channels
      if (!client.getQueryData(channelsQuery.queryKey)?.some(({ id }) => id === channelId)) return forget(channelId)
    }
    // What is no longer visible leaves the page before it would be requested.
    const permissions = channelPermissionsQuery(channelId)
    // Exactly these: the permissions in a room have a key that begins with those in the channel.
    const ofChannel = { queryKey: permissions.queryKey, exact: true }
    await Promise.all([refetchQueries(client, roomsQuery(channelId)), refetchQueries(client, ofChannel)])
    // Queries tell the page in a task of their own.
    await new Promise((resolve) => setTimeout(resolve))
    await tick()
    const isOther = ({ queryHash }: { queryHash: string }): boolean => queryHash !== hashKey(permissions.queryKey)
    await refetchQueries(client, { queryKey: ['of-channel', channelId], predicate: isOther })
  }
  const stops = [
    subscribe('channel.changed', (event) => {
      // A deleted channel leaves the page; anything else is only read again.
      const kind = event.data.subject === 'channel' ? 'channel' : 'parts'
      throttle.run(`${kind} of ${event.channelId}`, () => void changed(event))
    }),
    () => throttle.stop(),
    subscribe('channels.sorted', ({ data: { channelIds } }) => applyChannelOrder(client, channelIds)),
    subscribe('member.joined', come),
    subscribe('member.left', gone),
    subscribe('member.changed', ({ channelId, data: { member } }) => {
      stale(['of-channel', channelId])
      stale(roomsQuery(channelId).queryKey)
      if (isOneself(member.id)) stale(sessionKey)
    }),
    subscribe('voice.member_joined', ({ channelId }) => stale(roomsQuery(channelId).queryKey)),
    subscribe('voice.member_left', ({ channelId }) => stale(roomsQuery(channelId).queryKey)),
    subscribe('stream.live_changed', ({ channelId }) => stale(roomsQuery(channelId).queryKey)),
    onEventsMissed(() => void refetchQueries(client, { predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] })),
    onEventsRecovered(() => {
      stale(readStatesQuery.queryKey)
      void forgetLeftChannels()
      void refetchQueries(client, {
        predicate: ({ queryKey: [first, , of] }) => first === 'of-channel' && of === 'members',
      })
    }),
    ...(['message.pinned', 'message.unpinned', 'message.deleted', 'message.updated'] as const).map((event) =>
      subscribe(event, ({ channelId, data: { roomId } }) => stale(pinsQuery({ channelId, roomId }).queryKey)),
    ),
    deliverMessages(client, myId),
    followMessages(),
    followReadStates(client),
    followPresence(client),
    notifications.follow(client),
    followActivity(),
    followAppBadge(client),
    keepCopy(client, myId),
    reloadForOtherAccount(client, myId),
    reportUncaught(),
    connectLive(() => stale(sessionKey)),
  ]
  // Offline, or the push service is away: the next page renews it.
  void push.renew().catch(() => undefined)
  return () => {
    for (const stop of stops) stop()
  }
}
