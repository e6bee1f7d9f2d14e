import type { QueryClient } from '@tanstack/svelte-query'
import { parseResponse, type OperationOutput } from '#api/api.ts'
import { accountFromCopy, instanceQuery, sessionKey } from '#api/session.ts'
import { channelsQuery } from '#channels/channel-queries.ts'
import { channelCommandsQuery } from '#commands/commands-query.ts'
import { resumeFrom } from '#live/live.svelte.ts'
import { roleColorsQuery } from '#roles/role-colors.ts'
import { roomPermissionsQuery } from '#roles/room-permissions-query.ts'
import { conversationOf } from '#messages/conversations.svelte.ts'
import { setReadStates, readStatesQuery } from '#unread/read-states.ts'
import { roomsQuery } from '#rooms/room-queries.ts'
import { firstRender, startRenderTimeout, markRendered } from '#ui/first-render.ts'

type RoomPage = NonNullable<OperationOutput<'getRoomPage'>>

/** What early.js requested, based on the URL and the last visit. */
interface RoomPageRequest {
  readonly channelId: string | null
  readonly aroundId: string | undefined
  readonly answer: Promise<Response>
}

declare global {
  var porticoRoomPage: RoomPageRequest | undefined
}

/**
 * Uses the response that was requested before the app had loaded: each part becomes the cached result of its own query.
 * Without a response the page shows what was last read here, and every component makes its own request.
 */
export async function adoptRoomPage(client: QueryClient): Promise<void> {
  const request = globalThis.porticoRoomPage
  globalThis.porticoRoomPage = undefined
  if (!request) return markRendered()
  try {
    const roomPage = await parseResponse<RoomPage | null>(await request.answer)
    if (!roomPage) {
      client.setQueryData(sessionKey, null)
      return markRendered()
    }
    adopt(client, request, roomPage)
    if (showsMessages(roomPage)) startRenderTimeout()
    else markRendered()
    void loadFurther(client, roomPage)
  } catch (error) {
    await accountFromCopy(client, error).catch(() => undefined)
    markRendered()
  }
}

function adopt(client: QueryClient, request: RoomPageRequest, roomPage: RoomPage): void {
  const { position, account, instance, channels, readStates } = roomPage
  const { place, rooms, permissions, roleColors, commands, history } = roomPage
  const channelId = place?.channelId ?? request.channelId
  resumeFrom(position)
  client.setQueryData(instanceQuery.queryKey, instance)
  client.setQueryData(channelsQuery.queryKey, channels.channels)
  setReadStates(client, readStates.rooms)
  if (channelId !== null) {
    if (rooms) client.setQueryData(roomsQuery(channelId).queryKey, rooms)
    if (roleColors) client.setQueryData(roleColorsQuery(channelId).queryKey, roleColors.colors)
    if (commands) client.setQueryData(channelCommandsQuery(channelId).queryKey, commands)
  }
  if (place && permissions) client.setQueryData(roomPermissionsQuery(place).queryKey, permissions)
  if (place && history) conversationOf(place, account).history.usePrefetched(history, request.aroundId)
  // Last, because this shows the page, and everything else is cached by then.
  client.setQueryData(sessionKey, account)
}

/** Accounts in many channels see the first ones immediately and the rest once the page is shown. */
async function loadFurther(client: QueryClient, { channels, readStates }: RoomPage): Promise<void> {
  await firstRender
  if (channels.hasMore) void client.invalidateQueries(channelsQuery)
  if (readStates.nextAfterId !== null) void client.invalidateQueries(readStatesQuery)
}

function showsMessages({ place, rooms, history }: RoomPage): boolean {
  const room = rooms?.rooms.find(({ id }) => id === place?.roomId)
  return room?.type === 'text' && history !== null && history.messages.length > 0
}
