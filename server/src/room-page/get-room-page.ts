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
  // Taken before anything is read: a subscription from here can't miss what the response lacks.
  const { top: offset, epoch } = services.eventLog
  const [{ account }, instance, own, here] = await Promise.all([
    getSession(tx),
    getInstance(tx, {}, place, services),
    ownChannelsAnd(tx, input.channelId),
    inPlace(tx, services, input),
  ])
  return { position: { offset, epoch }, account, instance, ...own, ...here }
}

/** The first page of the caller's channels with their read states, and the opened channel wherever it is. */
async function ownChannelsAnd(tx: Tx, channelId: string): Promise<Pick<RoomPage, 'channels' | 'readStates'>> {
  const { ids, hasMore } = await ownChannelIds(tx, {})
  const shown = [...new Set([...ids, channelId.toLowerCase()])]
  const [channels, rooms] = await Promise.all([ownChannels(tx, shown), readStatesIn(tx, shown)])
  return { channels: { channels, hasMore }, readStates: { rooms, nextAfterId: (hasMore && ids.at(-1)) || null } }
}

/** The caller's access is read once, and each part is authorised as its own operation would be. */
async function inPlace(
  tx: Tx,
  services: Pick<Services, 'database'>,
  input: Input<typeof api.getRoomPage>,
): Promise<Pick<RoomPage, 'rooms' | 'permissions' | 'roleColors' | 'commands' | 'history'>> {
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
  return { rooms, permissions, roleColors, commands, history }
}

async function unlessRefused<Part>(read: () => Promise<Part>): Promise<Part | null> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof Refusal) return null
    throw error
  }
}
