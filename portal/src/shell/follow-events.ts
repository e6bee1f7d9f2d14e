import type { Account } from '@portico/contract'
import { hashKey, type QueryClient } from '@tanstack/svelte-query'
import { reloadForOtherAccount } from '#accounts/reload-for-other-account.ts'
import { sessionKey } from '#api/session.ts'
import { followChannels } from '#channels/follow-channels.ts'
import { reportUncaught } from '#defects/report-uncaught.ts'
import type { Follower, Following } from '#live/follower.ts'
import { connectLive, onEventsMissed, onEventsRecovered } from '#live/live.svelte.ts'
import { refetchQueries } from '#live/refetch-queries.ts'
import { REFETCH_PAUSE_MS, Throttle } from '#live/throttle.ts'
import { followMembers } from '#members/follow-members.ts'
import { deliverMessages } from '#messages/deliver-messages.ts'
import { followMessages } from '#messages/follow-messages.ts'
import { followPins } from '#messages/follow-pins.ts'
import { followActivity } from '#notifications/follow-activity.ts'
import { followAppBadge } from '#notifications/follow-app-badge.ts'
import { notifications } from '#notifications/notifications.svelte.ts'
import { push } from '#notifications/push.svelte.ts'
import { keepCopy } from '#offline/keep-copy.svelte.ts'
import { followPresence } from '#presence/follow-presence.ts'
import { followRooms } from '#rooms/follow-rooms.ts'
import { followReadStates } from '#unread/follow-read-states.ts'
import { readStatesQuery } from '#unread/read-states.ts'
import { forgetHiddenRooms } from './forget-hidden-rooms.ts'

const FOLLOWERS: readonly Follower[] = [followChannels, followMembers, followRooms, followPins]

/**
 * Keeps cached queries up to date with events. Queries whose key begins with `['of-channel', channelId]` are refetched
 * when anything in that channel changes. Returns a function that stops.
 */
export function follow(client: QueryClient, myId: string): () => void {
  const throttle = new Throttle(REFETCH_PAUSE_MS)
  const following: Following = {
    client,
    isOneself: (userId) => userId === client.getQueryData<Account | null>(sessionKey)?.id,
    refetch: (queryKey) => throttle.run(hashKey(queryKey), () => void refetchQueries(client, { queryKey })),
    throttle,
  }
  const stops = [
    () => throttle.stop(),
    ...FOLLOWERS.map((followWith) => followWith(following)),
    onEventsMissed(() => void refetchQueries(client, { predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] })),
    onEventsRecovered(() => following.refetch(readStatesQuery.queryKey)),
    deliverMessages(client, myId),
    followMessages(),
    followReadStates(client),
    forgetHiddenRooms(client, myId),
    followPresence(client),
    notifications.follow(client),
    followActivity(),
    followAppBadge(client),
    keepCopy(client, myId),
    reloadForOtherAccount(client, myId),
    reportUncaught(),
    connectLive(() => following.refetch(sessionKey)),
  ]
  // Offline, or the push service is away: the next page renews it.
  void push.renew().catch(() => undefined)
  return () => {
    for (const stop of stops) stop()
  }
}
