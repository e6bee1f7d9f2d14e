import { withNames } from '@portico/contract/mentions'
import type { QueryClient } from '@tanstack/svelte-query'
import { sessionQuery } from '#accounts/session.ts'
import { channelsQuery } from '#channels/channel-queries.ts'
import type { Told } from '#live/portal-event.ts'
import { withoutMarks } from '#markdown/strip-markdown.ts'
import { shownName } from '#members/display-name.ts'
import { m } from '#paraglide/messages.js'
import { readingsQuery } from '#unread/read-states.ts'
import { roomsQuery } from '#rooms/room-queries.ts'
import { notifications } from './notifications.svelte.ts'
import { startWorker } from './service-worker.ts'

/** Whoever has the room before their eyes, in this window or another, reads the mention within this time. */
const PATIENCE_MS = 1500
const LONGEST = 200

/** Tells of a message if it names the person and nobody reads it where it is written. */
export function tellMention(client: QueryClient, told: Told<'message.created'>): void {
  const me = client.getQueryData(sessionQuery.queryKey)?.id
  if (told.data.message.author.id === me || !told.shown.mentions.some(({ id }) => id === me)) return
  setTimeout(() => void showUnlessRead(client, told), PATIENCE_MS)
}

async function showUnlessRead(client: QueryClient, told: Told<'message.created'>): Promise<void> {
  if (notifications.on && (await isUnread(client, told))) await show(client, told)
}

async function isUnread(client: QueryClient, { data: { roomId, message } }: Told<'message.created'>): Promise<boolean> {
  const known = client.getQueryData(readingsQuery.queryKey)?.get(roomId)
  // Of a room that came into sight just now the answer may still be on its way.
  const reading = known ?? (await client.fetchQuery({ ...readingsQuery, staleTime: 0 })).get(roomId)
  return reading !== undefined && !reading.muted && message.id > reading.readUpTo
}

async function show(client: QueryClient, told: Told<'message.created'>): Promise<void> {
  const { channelId, shown } = told
  const { roomId, message } = told.data
  const channel = client.getQueryData(channelsQuery.queryKey)?.find(({ id }) => id === channelId)
  const room = client.getQueryData(roomsQuery(channelId).queryKey)?.rooms.find(({ id }) => id === roomId)
  const names = new Map(shown.mentions.map((member) => [member.id, shownName(member)]))
  const place = [room && `#${room.name}`, channel?.name].filter(Boolean).join(' · ')
  const worker = await startWorker()
  await worker.showNotification(m.notification_title({ name: shownName(shown.author), place }), {
    body: Array.from(withoutMarks(withNames(message.text, (id) => names.get(id))))
      .slice(0, LONGEST)
      .join(''),
    icon: '/icons/portico-192.png',
    // The same from two windows is one.
    tag: message.id,
    silent: true,
    data: { path: `/c/${channelId}/${roomId}/${message.id}` },
  })
}
