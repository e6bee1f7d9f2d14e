import { withNames } from '@portico/contract/mentions'
import type { QueryClient } from '@tanstack/svelte-query'
import { sessionQuery } from '#accounts/session.ts'
import { channelsQuery } from '#channels/channel-queries.ts'
import type { PortalEvent } from '#live/portal-event.ts'
import { stripMarkdown } from '#markdown/strip-markdown.ts'
import { displayName } from '#members/display-name.ts'
import { m } from '#paraglide/messages.js'
import { readStatesQuery } from '#unread/read-states.ts'
import { roomsQuery } from '#rooms/room-queries.ts'
import { notifications } from './notifications.svelte.ts'
import { startWorker } from './service-worker.ts'

/** A reader who has the room open, in this window or another, marks the mention as read within this time. */
const READ_WITHIN_MS = 1500
const MAX_LENGTH = 200

/** Notifies of a message that mentions the account, unless it is read in the meantime. */
export function notifyMention(client: QueryClient, event: PortalEvent<'message.created'>): void {
  const me = client.getQueryData(sessionQuery.queryKey)?.id
  if (event.data.message.author.id === me || !event.shown.mentions.some(({ id }) => id === me)) return
  setTimeout(() => void showUnlessRead(client, event), READ_WITHIN_MS)
}

async function showUnlessRead(client: QueryClient, event: PortalEvent<'message.created'>): Promise<void> {
  if (notifications.on && (await isUnread(client, event))) await show(client, event)
}

async function isUnread(
  client: QueryClient,
  { data: { roomId, message } }: PortalEvent<'message.created'>,
): Promise<boolean> {
  const known = client.getQueryData(readStatesQuery.queryKey)?.get(roomId)
  // The read state of a room that just became visible may still be loading.
  const readState = known ?? (await client.fetchQuery({ ...readStatesQuery, staleTime: 0 })).get(roomId)
  return readState !== undefined && !readState.muted && message.id > readState.readUpTo
}

async function show(client: QueryClient, event: PortalEvent<'message.created'>): Promise<void> {
  const { channelId, shown } = event
  const { roomId, message } = event.data
  const channel = client.getQueryData(channelsQuery.queryKey)?.find(({ id }) => id === channelId)
  const room = client.getQueryData(roomsQuery(channelId).queryKey)?.rooms.find(({ id }) => id === roomId)
  const names = new Map(shown.mentions.map((member) => [member.id, displayName(member)]))
  const place = [room && `#${room.name}`, channel?.name].filter(Boolean).join(' · ')
  const worker = await startWorker()
  await worker.showNotification(m.notification_title({ name: displayName(shown.author), place }), {
    body: Array.from(stripMarkdown(withNames(message.text, (id) => names.get(id))))
      .slice(0, MAX_LENGTH)
      .join(''),
    icon: '/icons/portico-192.png',
    // Two windows show it once.
    tag: message.id,
    silent: true,
    data: { path: `/c/${channelId}/${roomId}/${message.id}` },
  })
}
