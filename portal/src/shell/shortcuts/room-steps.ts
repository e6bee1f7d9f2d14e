import type { OwnChannel, Room } from '@portico/contract'
import { groupRooms, type RoomGroup } from '#rooms/group-rooms.ts'
import type { ReadStates } from '#unread/read-states.ts'

type Rooms = Parameters<typeof groupRooms>[0]

export interface Surroundings {
  readonly channels: readonly OwnChannel[]
  readonly rooms: Rooms | undefined
  readonly readStates: ReadStates | undefined
  readonly channelId: string | undefined
  readonly roomId: string | undefined
}

/** The URL of the previous or next room in the list, wrapping around. */
export function roomAt(step: 1 | -1, { rooms, channelId, roomId }: Surroundings): string | undefined {
  const listed = inOrder(rooms)
  const room = stepFrom(listed, (one) => one.id === roomId, step)
  return room && room.id !== roomId ? `/c/${channelId}/${room.id}` : undefined
}

/** The next unread room: in this channel, or in another one if everything here is read. */
export function unreadAt(step: 1 | -1, { rooms, readStates, channels, channelId, roomId }: Surroundings) {
  const calls = (id: string): boolean => {
    const readState = readStates?.get(id)
    return readState !== undefined && readState.unread && !readState.muted && id !== roomId
  }
  const candidates = inOrder(rooms).filter(({ id }) => id === roomId || calls(id))
  const room = stepFrom(candidates, (one) => one.id === roomId, step)
  if (room && room.id !== roomId) return `/c/${channelId}/${room.id}`

  const calling = [...(readStates?.values() ?? [])].filter((readState) => calls(readState.roomId))
  const around = channels.filter(
    ({ id }) => id === channelId || calling.some((readState) => readState.channelId === id),
  )
  const channel = stepFrom(around, (one) => one.id === channelId, step)
  const there = calling.find((readState) => readState.channelId === channel?.id)
  return there && `/c/${there.channelId}/${there.roomId}`
}

export function channelAt(step: 1 | -1, { channels, channelId }: Surroundings): string | undefined {
  const channel = stepFrom(channels, (one) => one.id === channelId, step)
  return channel && channel.id !== channelId ? `/c/${channel.id}` : undefined
}

function inOrder(rooms: Rooms | undefined): Room[] {
  return rooms ? groupRooms(rooms).flatMap((group: RoomGroup) => group.rooms) : []
}

function stepFrom<Item>(items: readonly Item[], isCurrent: (item: Item) => boolean, step: 1 | -1): Item | undefined {
  const at = items.findIndex(isCurrent)
  if (at < 0) return step > 0 ? items[0] : items.at(-1)
  return items[(at + step + items.length) % items.length]
}
