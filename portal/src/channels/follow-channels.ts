import { hashKey } from '@tanstack/svelte-query'
import { tick } from 'svelte'
import type { Following } from '#live/follower.ts'
import { onEventsRecovered, subscribe } from '#live/live.svelte.ts'
import type { PortalEvent } from '#live/portal-event.ts'
import { refetchQueries } from '#live/refetch-queries.ts'
import { channelPermissionsQuery } from '#roles/channel-permissions-query.ts'
import { roomsQuery } from '#rooms/room-queries.ts'
import { applyChannelOrder } from './channel-order.ts'
import { channelsQuery } from './channel-queries.ts'

/** Keeps the account's channels up to date, and forgets those that are gone. Returns a function that stops. */
export function followChannels({ client, isOneself, refetch, throttle }: Following): () => void {
  /** A channel that is gone must not be requested again. */
  const forget = (channelId: string): void => {
    for (const queryKey of [['of-channel', channelId], roomsQuery(channelId).queryKey])
      client.removeQueries({ queryKey })
  }
  const left = (channelId: string): void => {
    client.setQueryData(channelsQuery.queryKey, (known) => known?.filter(({ id }) => id !== channelId))
    // A list that was requested before the membership ended would bring the channel back.
    refetch(channelsQuery.queryKey)
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
    subscribe('channels.sorted', ({ data: { channelIds } }) => applyChannelOrder(client, channelIds)),
    subscribe('member.joined', ({ data: { userId } }) => {
      if (isOneself(userId)) refetch(channelsQuery.queryKey)
    }),
    subscribe('member.left', ({ channelId, data: { userId } }) => {
      if (isOneself(userId)) left(channelId)
    }),
    onEventsRecovered(() => void forgetLeftChannels()),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}
