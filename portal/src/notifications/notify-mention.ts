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

/** Whoever has the room before their eyes, in this window or another, reads the mention within this time. */
const PATIENCE_MS = 1500
const LONGEST = 200

/** Tells of a message if it names the person and nobody reads it where it is written. */
export function notifyMention(client: QueryClient, event: PortalEvent<'message.created'>): void {
  const me = client.getQueryData(sessionQuery.queryKey)?.id
  if (event.data.message.author.id === me || !event.shown.mentions.some(({ id }) => id === me)) return
  setTimeout(() => void showUnlessRead(client, event), PATIENCE_MS)
}

async function showUnlessRead(client: QueryClient, event: PortalEvent<'message.created'>): Promise<void> {
  if (notifications.on && (await isUnread(client, event))) await show(client, event)
}

async function isUnread(
  client: QueryClient,
  { data: { roomId, message } }: PortalEvent<'message.created'>,
): Promise<boolean> {
  const known = client.getQueryData(readStatesQuery.queryKey)?.get(roomId)
  // Of a room that came into sight just now the answer may still be on its way.
  const reading = known ?? (await client.fetchQuery({ ...readStatesQuery, staleTime: 0 })).get(roomId)
  return reading !== undefined && !reading.muted && message.id > reading.readUpTo
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
      .slice(0, LONGEST)
      .join(''),
    icon: '/icons/portico-192.png',
    // The same from two windows is one.
    tag: message.id,
    silent: true,
    data: { path: `/c/${channelId}/${roomId}/${message.id}` },
  })
}
