import type { NotificationLevel } from '@portico/contract'
import { isQuiet } from '@portico/contract/is-quiet'
import { withNames } from '@portico/contract/mentions'
import type { QueryClient } from '@tanstack/svelte-query'
import { sessionQuery } from '#api/session.ts'
import { channelsQuery } from '#channels/channel-queries.ts'
import type { PortalEvent } from '#live/portal-event.ts'
import { stripMarkdown } from '@portico/contract/strip-markdown'
import { displayName } from '#members/display-name.ts'
import { markedName } from '#members/marked-name.ts'
import { mentionsGroupOf } from '#messages/mentions-me.ts'
import { m } from '#paraglide/messages.js'
import { channelPermissionsQuery } from '#roles/channel-permissions-query.ts'
import { readStatesQuery } from '#unread/read-states.ts'
import { roomsQuery } from '#rooms/room-queries.ts'
import { notificationSettingsQuery } from './notification-settings.ts'
import { notifications } from './notifications.svelte.ts'
import { startWorker } from './service-worker.ts'

/** A reader who has the room open, in this window or another, marks the message as read within this time. */
const READ_WITHIN_MS = 1500
const MAX_LENGTH = 200

/** Why a message notifies the account. */
type Reason = 'mention' | 'group' | 'reply' | 'all'

/** Notifies of a message as the account's level for the room says, unless it is read in the meantime. */
export function notifyMessage(client: QueryClient, event: PortalEvent<'message.created'>): void {
  const me = client.getQueryData(sessionQuery.queryKey)?.id
  if (event.data.message.author.id === me) return
  setTimeout(() => void showIfWanted(client, event, me), READ_WITHIN_MS)
}

async function reasonFor(
  client: QueryClient,
  { channelId, shown }: PortalEvent<'message.created'>,
  me: string | undefined,
): Promise<Reason> {
  if (shown.mentions.some(({ id }) => id === me)) return 'mention'
  if (shown.replyTo?.author?.id === me) return 'reply'
  if (!shown.mentionedGroups) return 'all'
  const { roleIds } = await client.fetchQuery(channelPermissionsQuery(channelId))
  return mentionsGroupOf(shown.mentionedGroups, roleIds) ? 'group' : 'all'
}

async function showIfWanted(
  client: QueryClient,
  event: PortalEvent<'message.created'>,
  me: string | undefined,
): Promise<void> {
  if (!notifications.on) return
  const reason = await reasonFor(client, event, me)
  if (!wants(await unreadLevel(client, event), reason)) return
  const { sound, doNotDisturb } = await client.fetchQuery(notificationSettingsQuery)
  if (!doNotDisturb || !isQuiet(doNotDisturb, new Date())) await show(client, event, { reason, sound })
}

function wants(level: NotificationLevel, reason: Reason): boolean {
  return level === 'all' || (level === 'mentions' && reason !== 'all')
}

/** The level of the message's room; nothing if it is muted, or the message read. */
async function unreadLevel(
  client: QueryClient,
  { data: { roomId, message } }: PortalEvent<'message.created'>,
): Promise<NotificationLevel> {
  const known = client.getQueryData(readStatesQuery.queryKey)?.get(roomId)
  // The read state of a room that just became visible may still be loading.
  const readState = known ?? (await client.fetchQuery({ ...readStatesQuery, staleTime: 0 })).get(roomId)
  return !readState || readState.muted || message.id <= readState.readUpTo ? 'nothing' : readState.level
}

const TITLES = {
  mention: m.notification_title,
  group: m.notification_title_message,
  reply: m.notification_title_reply,
  all: m.notification_title_message,
}

async function show(
  client: QueryClient,
  event: PortalEvent<'message.created'>,
  { reason, sound }: { readonly reason: Reason; readonly sound: boolean },
): Promise<void> {
  const { channelId, shown } = event
  const { roomId, message } = event.data
  const channel = client.getQueryData(channelsQuery.queryKey)?.find(({ id }) => id === channelId)
  const room = client.getQueryData(roomsQuery(channelId).queryKey)?.rooms.find(({ id }) => id === roomId)
  const names = new Map(shown.mentions.map((member) => [member.id, displayName(member)]))
  const place = [room && `#${room.name}`, channel?.name].filter(Boolean).join(' · ')
  const worker = await startWorker()
  await worker.showNotification(TITLES[reason]({ name: markedName(shown.author), place }), {
    body: Array.from(stripMarkdown(withNames(message.text, (id) => names.get(id))))
      .slice(0, MAX_LENGTH)
      .join(''),
    icon: '/icons/portico-192.png',
    // Two windows show it once.
    tag: message.id,
    silent: !sound,
    data: { path: `/c/${channelId}/${roomId}/${message.id}` },
  })
}
