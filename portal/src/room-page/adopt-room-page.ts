import type { QueryClient } from '@tanstack/svelte-query'
import { parseResponse, Refused, type OperationOutput } from '#api.ts'
import { instanceQuery, sessionKey } from '#accounts/session.ts'
import { channelsQuery } from '#channels/channel-queries.ts'
import { channelCommandsQuery } from '#commands/commands-query.ts'
import { continueFrom } from '#live/live.svelte.ts'
import { standingQuery } from '#roles/room-permissions-query.ts'
import { talkOf } from '#messages/conversations.svelte.ts'
import { noteReadings, readingsQuery } from '#unread/read-states.ts'
import { roomsQuery } from '#rooms/room-queries.ts'
import { firstLook, lookAtLast, looked } from './first-render.ts'

type Opening = OperationOutput<'getRoomPage'>

/** What early.js asked for on the strength of the address alone. */
interface Asked {
  readonly channelId: string
  readonly roomId: string
  readonly aroundId: string | undefined
  readonly answer: Promise<Response>
}

declare global {
  var porticoOpening: Asked | undefined
}

/**
 * Takes what was asked for before the program was there, once: every part becomes what its own query would have read.
 * Where there is no answer, each is asked for by whoever needs it.
 */
export async function adoptOpening(client: QueryClient): Promise<void> {
  const asked = globalThis.porticoOpening
  globalThis.porticoOpening = undefined
  if (!asked) return looked()
  try {
    const opening = await parseResponse<Opening>(await asked.answer)
    adopt(client, asked, opening)
    if (showsMessages(asked, opening)) lookAtLast()
    else looked()
    void loadFurther(client, opening)
  } catch (error) {
    looked()
    if (error instanceof Refused && error.httpStatus === 401) client.setQueryData(sessionKey, null)
  }
}

function adopt(client: QueryClient, { channelId, roomId, aroundId }: Asked, opening: Opening): void {
  const { position, account, instance, channels, readings, rooms, standing, commands, history } = opening
  continueFrom(position)
  client.setQueryData(instanceQuery.queryKey, instance)
  client.setQueryData(channelsQuery.queryKey, channels.channels)
  noteReadings(client, readings.rooms)
  if (rooms) client.setQueryData(roomsQuery(channelId).queryKey, rooms)
  if (standing) client.setQueryData(standingQuery({ channelId, roomId }).queryKey, standing)
  if (commands) client.setQueryData(channelCommandsQuery(channelId).queryKey, commands)
  if (history) talkOf({ channelId, roomId }, account).history.foresee(history, aroundId)
  // Last: with it the page is shown, and has all the rest.
  client.setQueryData(sessionKey, account)
}

/** Whoever is on many channels sees the first of them at once, and the others when the page is there. */
async function loadFurther(client: QueryClient, { channels, readings }: Opening): Promise<void> {
  await firstLook
  if (channels.hasMore) void client.invalidateQueries(channelsQuery)
  if (readings.nextAfterId !== null) void client.invalidateQueries(readingsQuery)
}

function showsMessages({ roomId }: Asked, { rooms, history }: Opening): boolean {
  const room = rooms?.rooms.find(({ id }) => id === roomId)
  return room?.type === 'text' && history !== null && history.messages.length > 0
}
