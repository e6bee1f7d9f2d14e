import { newRoom } from './changes.ts'
import { sees, type ChannelState, type RoomState } from './channel-state.ts'
import type { Exchange } from './exchanges.ts'

interface ListedRoom {
  readonly id: string
  readonly name: string
  readonly type: RoomState['type']
  readonly private?: boolean
}

interface ListedRole {
  readonly id: string
  readonly systemName: string
  readonly rights: readonly string[]
}

interface Listing {
  readonly rooms?: readonly ListedRoom[]
  readonly roles?: readonly ListedRole[]
  readonly members?: readonly { readonly id: string }[]
  readonly hasMore?: boolean
}

/** The state with rooms and roles that were not known before. The owner sees all of them. */
export function learn(state: ChannelState, { actor, body }: Exchange): ChannelState {
  if (actor.id !== state.ownerId) return state
  const { rooms = [], roles = [] } = body as Listing
  const newRooms = rooms.filter(({ id }) => !state.rooms.has(id) && !state.deletedRooms.has(id))
  const newRoles = roles.filter(({ id }) => state.roles.every((role) => role.id !== id))
  if (newRooms.length === 0 && newRoles.length === 0) return state
  const known = new Map(state.rooms)
  for (const { id, name, type, private: isPrivate = false } of newRooms) {
    // A private room admits who created it.
    const admittedMembers = new Set(isPrivate ? [actor.id] : [])
    known.set(id, { ...newRoom(name, type, isPrivate), admittedMembers })
  }
  return { ...state, rooms: known, roles: newRoles.length === 0 ? state.roles : mergeRoles(state, roles) }
}

/** In the listed order, highest first, with what is already known of each. */
function mergeRoles(state: ChannelState, listed: readonly ListedRole[]): ChannelState['roles'] {
  return listed.map(({ id, systemName, rights }) => {
    return state.roles.find((role) => role.id === id) ?? { id, systemName, rights: new Set(rights) }
  })
}

/** Whether the list is what the actor who requested it would see in this state. */
export function agrees(state: ChannelState, { actor, body }: Exchange): boolean {
  const { rooms, roles, members, hasMore } = body as Listing
  if (rooms) return roomsAgree(state, actor, rooms)
  if (roles) return rolesAgree(state, roles)
  // One page of several says little.
  if (members && hasMore === false) {
    return members.length === state.members.size && members.every(({ id }) => state.members.has(id))
  }
  return true
}

function roomsAgree(state: ChannelState, { id: who, kind }: Exchange['actor'], listed: readonly ListedRoom[]): boolean {
  const isShown = (roomId: string, { isPrivate }: RoomState): boolean =>
    sees(state, who, roomId) === 'yes' && !(kind === 'bot' && isPrivate)
  const expected = [...state.rooms].filter(([id, room]) => isShown(id, room))
  if (expected.length !== listed.length) return false
  return listed.every(({ id, private: isPrivate = false }) => {
    const room = state.rooms.get(id)
    return room !== undefined && isShown(id, room) && (kind === 'bot' || room.isPrivate === isPrivate)
  })
}

function rolesAgree(state: ChannelState, listed: readonly ListedRole[]): boolean {
  if (listed.length !== state.roles.length) return false
  return listed.every(({ id, rights }, place) => {
    const role = state.roles[place]
    return role?.id === id && role.rights.size === rights.length && rights.every((right) => role.rights.has(right))
  })
}
