import type { ChannelState, MemberState, RoomState } from './channel-state.ts'
import type { Exchange } from './exchanges.ts'
import type { Faults } from './fault-spans.ts'

/** How late a mute may end after its time, in milliseconds. */
const MUTE_TOLERANCE = 2000
/** In milliseconds: how far clocks are set at most. */
export const LARGEST_JUMP = 300_000

type Change = (state: ChannelState, exchange: Exchange, args: Args) => ChannelState

interface Args {
  readonly channelId: string
  readonly roomId: string
  readonly userId: string
  readonly roleId: string
  readonly applicationId: string
  readonly name: string
  readonly type: RoomState['type']
  readonly private?: boolean
  readonly roleIds: readonly string[]
  readonly memberIds: readonly string[]
  readonly rights: readonly string[]
  readonly allow: readonly string[]
  readonly deny: readonly string[]
  readonly durationSec?: number
}

/** Whose bots there are. */
export interface Bots {
  /** The bot of an application. */
  of(applicationId: string): string
  /** The bots of the applications that a person owns. */
  ownedBy(ownerId: string): readonly string[]
}

/** What each change does to a channel once it is acknowledged. */
export function changesOf(bots: Bots, faults: Faults): Partial<Record<string, Change>> {
  return {
    createRoom: (state, { actor, body }, { name, type, private: isPrivate = false }) => {
      const { id } = body as { id: string }
      const room = { ...newRoom(name, type, isPrivate), admittedMembers: new Set(isPrivate ? [actor.id] : []) }
      return { ...state, rooms: new Map(state.rooms).set(id, room) }
    },
    updateRoom: (state, _, { roomId, private: isPrivate }) =>
      withRoom(state, roomId, (room) => ({ ...room, ...(isPrivate !== undefined && { isPrivate }) })),
    deleteRoom: (state, _, { roomId }) => ({
      ...state,
      rooms: new Map([...state.rooms].filter(([id]) => id !== roomId)),
      deletedRooms: new Set([...state.deletedRooms, roomId]),
    }),
    setAdmissions: (state, _, { roomId, roleIds, memberIds }) =>
      withRoom(state, roomId, (room) => ({
        ...room,
        admittedRoles: new Set(roleIds),
        admittedMembers: new Set(memberIds.filter((id) => state.members.has(id))),
      })),
    setOverride: (state, _, { roomId, roleId, allow, deny }) =>
      withRoom(state, roomId, (room) => ({
        ...room,
        overrides: new Map(room.overrides).set(roleId, { allow: new Set(allow), deny: new Set(deny) }),
      })),
    createRole: (state, { body }, { rights }) => {
      const { id } = body as { id: string }
      const role = { id, systemName: 'CUSTOM', rights: new Set(rights) }
      // Ranked just above ordinary members.
      const place = state.roles.findIndex(({ systemName }) => systemName === 'CHANNEL_MEMBER')
      return { ...state, roles: state.roles.toSpliced(place, 0, role) }
    },
    updateRole: (state, _, { roleId, rights }) => ({
      ...state,
      roles: state.roles.map((role) => (role.id === roleId ? { ...role, rights: new Set(rights) } : role)),
    }),
    deleteRole: (state, _, { roleId }) => ({
      ...state,
      roles: state.roles.filter(({ id }) => id !== roleId),
      members: mapValues(state.members, (member) =>
        member.roleIds.has(roleId) ? { ...member, roleIds: without(member.roleIds, roleId) } : member,
      ),
      rooms: mapValues(state.rooms, (room) =>
        room.admittedRoles.has(roleId) || room.overrides.has(roleId)
          ? {
              ...room,
              admittedRoles: without(room.admittedRoles, roleId),
              overrides: new Map([...room.overrides].filter(([id]) => id !== roleId)),
            }
          : room,
      ),
    }),
    setMemberRoles: (state, _, { userId, roleIds }) =>
      withMember(state, userId, (member) => ({ ...member, roleIds: new Set(roleIds) })),
    muteChat: (state, exchange, { userId }) =>
      withMember(state, userId, (member) => ({ ...member, chatMute: muteOf(exchange, faults) })),
    unmuteChat: (state, _, { userId }) => withMember(state, userId, ({ chatMute: _ended, ...member }) => member),
    muteVoice: (state, exchange, { userId }) =>
      withMember(state, userId, (member) => ({ ...member, voiceMute: muteOf(exchange, faults) })),
    unmuteVoice: (state, _, { userId }) => withMember(state, userId, ({ voiceMute: _ended, ...member }) => member),
    kick: (state, _, { userId }) => removed(state, userId),
    // The bots of a banned person go as well.
    ban: (state, _, { userId }) => ({
      ...[userId, ...bots.ownedBy(userId)].reduce(removed, state),
      banned: new Set([...state.banned, userId]),
    }),
    liftBan: (state, _, { userId }) => ({ ...state, banned: without(state.banned, userId) }),
    join: (state, { actor }) => joined(state, actor.id, 'CHANNEL_MEMBER'),
    leave: (state, { actor }) => removed(state, actor.id),
    install: (state, _, { applicationId }) => joined(state, bots.of(applicationId), 'CHANNEL_BOT'),
    uninstall: (state, _, { applicationId }) => removed(state, bots.of(applicationId)),
    deleteApplication: (state, _, { applicationId }) => removed(state, bots.of(applicationId)),
  }
}

export function newRoom(name: string, type: RoomState['type'], isPrivate: boolean): RoomState {
  return { name, type, isPrivate, admittedRoles: new Set(), admittedMembers: new Set(), overrides: new Map() }
}

function joined(state: ChannelState, id: string, role: 'CHANNEL_MEMBER' | 'CHANNEL_BOT'): ChannelState {
  if (state.members.has(id)) return state
  const roleIds = new Set(state.roles.filter(({ systemName }) => systemName === role).map((one) => one.id))
  const member = { ...state.mutesOfOthers.get(id), roleIds, isBot: role === 'CHANNEL_BOT' }
  return { ...state, members: new Map(state.members).set(id, member) }
}

/** With the membership go its roles and admissions. */
function removed(state: ChannelState, id: string): ChannelState {
  const member = state.members.get(id)
  if (!member) return state
  const { roleIds: _roles, isBot: _kind, ...mutes } = member
  return {
    ...state,
    mutesOfOthers: new Map(state.mutesOfOthers).set(id, mutes),
    members: new Map([...state.members].filter(([member]) => member !== id)),
    rooms: mapValues(state.rooms, (room) =>
      room.admittedMembers.has(id) ? { ...room, admittedMembers: without(room.admittedMembers, id) } : room,
    ),
  }
}

/** It ends by the clock of the service. */
function muteOf({ at, end, args }: Exchange, faults: Faults): { earliestEnd: number; latestEnd: number } {
  const { durationSec } = args as { durationSec?: number }
  if (durationSec === undefined) return { earliestEnd: Infinity, latestEnd: Infinity }
  const duration = durationSec * 1000
  const clockError = faults.clockError(at, end + duration + LARGEST_JUMP)
  return { earliestEnd: at + duration - clockError, latestEnd: end + duration + clockError + MUTE_TOLERANCE }
}

function withRoom(state: ChannelState, id: string, change: (room: RoomState) => RoomState): ChannelState {
  const room = state.rooms.get(id)
  return room ? { ...state, rooms: new Map(state.rooms).set(id, change(room)) } : state
}

function withMember(state: ChannelState, id: string, change: (member: MemberState) => MemberState): ChannelState {
  const member = state.members.get(id)
  return member ? { ...state, members: new Map(state.members).set(id, change(member)) } : state
}

/** The values that `change` leaves alone are shared with the other map. */
function mapValues<V>(map: ReadonlyMap<string, V>, change: (value: V) => V): ReadonlyMap<string, V> {
  return new Map([...map].map(([key, value]) => [key, change(value)]))
}

function without(set: ReadonlySet<string>, item: string): ReadonlySet<string> {
  return new Set([...set].filter((one) => one !== item))
}
