import * as api from '@portico/contract'
import type { Access, Input, Output } from '@portico/contract'
import { getInstance } from '../accounts/instance.ts'
import { getSession } from '../accounts/sessions.ts'
import { ownChannelIds, ownChannels } from '../channels/own-channels.ts'
import { listChannelCommands } from '../commands/list-channel-commands.ts'
import { judgePlace, readPlace, type ChannelPlace, type RoomPlace } from '../operations/authorize.ts'
import { readHistory } from '../messages/read-history.ts'
import { readStatesIn } from '../unread/read-state.ts'
import { Refusal } from '../operations/refusal.ts'
import { listRoleColors } from '../roles/list-role-colors.ts'
import { listRooms } from '../rooms/list-rooms.ts'
import { getRoomPermissions } from '../rooms/get-room-permissions.ts'
import type { Services } from '../operations/services.ts'
import type { Tx } from '../operations/transaction.ts'

type RoomPage = NonNullable<Output<typeof api.getRoomPage>>

export async function getRoomPage(
  tx: Tx,
  input: Input<typeof api.getRoomPage>,
  place: undefined,
  services: Pick<Services, 'config' | 'database' | 'eventLog' | 'media' | 'version'>,
): Promise<RoomPage> {
  await services.eventLog.refresh()
  // Taken before anything is read: a subscription from here can't miss what the response lacks.
  const { top: offset, epoch } = services.eventLog
  const [{ account }, instance, own, here] = await Promise.all([
    getSession(tx),
    getInstance(tx, {}, place, services),
    ownChannelsAnd(tx, input.channelId),
    opened(tx, services, input),
  ])
  return { position: { offset, epoch }, account, instance, ...own, ...here }
}

/** The first page of the caller's channels with their read states, and the opened channel wherever it is. */
async function ownChannelsAnd(
  tx: Tx,
  channelId: string | undefined,
): Promise<Pick<RoomPage, 'channels' | 'readStates'>> {
  const { ids, hasMore } = await ownChannelIds(tx, {})
  const shown = [...new Set(channelId === undefined ? ids : [...ids, channelId.toLowerCase()])]
  const [channels, rooms] = await Promise.all([ownChannels(tx, shown), readStatesIn(tx, shown)])
  return { channels: { channels, hasMore }, readStates: { rooms, nextAfterId: (hasMore && ids.at(-1)) || null } }
}

type Opened = Pick<RoomPage, 'place' | 'rooms' | 'permissions' | 'roleColors' | 'commands' | 'history'>

async function opened(
  tx: Tx,
  services: Pick<Services, 'database'>,
  input: Input<typeof api.getRoomPage>,
): Promise<Opened> {
  const channelId = input.channelId ?? (await ownChannelIds(tx, { limit: 1 })).ids[0]
  const nothing = { place: null, rooms: null, permissions: null, roleColors: null, commands: null, history: null }
  if (channelId === undefined) return nothing
  const roomId = input.roomId ?? (await firstRoomId(tx, services, channelId))
  return roomId === undefined ? nothing : inPlace(tx, services, { ...input, channelId, roomId })
}

/** The first room as the portal lists them: those without a category, then each category. */
async function firstRoomId(
  tx: Tx,
  services: Pick<Services, 'database'>,
  channelId: string,
): Promise<string | undefined> {
  const access = api.listRooms.access
  const row = await readPlace(services, tx.actor, { channelId }, access)
  const listed = await unlessRefused(async () =>
    listRooms(tx, { channelId }, judgePlace(tx.actor, { channelId }, access, row)),
  )
  if (!listed) return undefined
  const sortOf = new Map<string | null, number>(listed.categories.map(({ id, sort }) => [id, sort]))
  const categorySort = (id: string | null): number => sortOf.get(id) ?? -1
  const sorted = listed.rooms.toSorted(
    (a, b) => categorySort(a.categoryId) - categorySort(b.categoryId) || a.sort - b.sort,
  )
  return (sorted.find(({ type }) => type === 'text') ?? sorted[0])?.id
}

/** The caller's access is read once, and each part is authorized as its own operation would be. */
async function inPlace(
  tx: Tx,
  services: Pick<Services, 'database'>,
  input: Input<typeof api.getRoomPage> & { readonly channelId: string; readonly roomId: string },
): Promise<Opened> {
  const row = await readPlace(services, tx.actor, input, api.getRoomPermissions.access)
  const into = async <Part>(access: Access, read: (place: ChannelPlace | RoomPlace) => Promise<Part>) =>
    unlessRefused(async () => read(judgePlace(tx.actor, input, access, row)))
  const intoRoom = <Part>(access: Access, read: (room: RoomPlace) => Promise<Part>) =>
    into(access, async (place) => ('roomId' in place ? read(place) : null))

  const [rooms, permissions, roleColors, commands, history] = await Promise.all([
    into(api.listRooms.access, (channel) => listRooms(tx, input, channel)),
    intoRoom(api.getRoomPermissions.access, (room) => getRoomPermissions(tx, input, room)),
    into(api.listRoleColors.access, (channel) => listRoleColors(tx, input, channel)),
    into(api.listChannelCommands.access, (channel) => listChannelCommands(tx, input, channel)),
    intoRoom(api.readHistory.access, (room) => readHistory(tx, input, room)),
  ])
  const { channelId, roomId } = input
  return { place: permissions && { channelId, roomId }, rooms, permissions, roleColors, commands, history }
}

async function unlessRefused<Part>(read: () => Promise<Part>): Promise<Part | null> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof Refusal) return null
    throw error
  }
}
