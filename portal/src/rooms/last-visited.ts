import type { Room } from '@portico/contract'
import { isStrings, readStored, writeStored } from '#storage/local-storage.ts'
import type { RoomGroup } from './group-rooms.ts'

function isId(value: unknown): value is string {
  return typeof value === 'string'
}

/** The last visited channel, and the last visited room of each channel. */
export function rememberPlace(channelId: string, roomId: string): void {
  writeStored('channel', channelId)
  writeStored('rooms', { ...readStored('rooms', isStrings), [channelId]: roomId })
}

export function chooseChannel<Channel extends { id: string }>(channels: readonly Channel[]): Channel | undefined {
  const last = readStored('channel', isId)
  return channels.find(({ id }) => id === last) ?? channels[0]
}

export function chooseRoom(channelId: string, groups: readonly RoomGroup[]): Room | undefined {
  const rooms = groups.flatMap((group) => group.rooms)
  const last = readStored('rooms', isStrings)?.[channelId]
  return rooms.find(({ id }) => id === last) ?? rooms.find(({ type }) => type === 'text') ?? rooms[0]
}
