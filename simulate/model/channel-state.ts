/** What decides who may do what in a channel, as far as the answers of the service say. */
export interface ChannelState {
  readonly ownerId: string
  /** Highest first. */
  readonly roles: readonly RoleState[]
  readonly members: ReadonlyMap<string, MemberState>
  readonly rooms: ReadonlyMap<string, RoomState>
  readonly banned: ReadonlySet<string>
  /** Rooms that are gone. What is in neither list was created without an answer, and nobody has listed it yet. */
  readonly deletedRooms: ReadonlySet<string>
  /** The mutes of those who left: nobody escapes one by leaving. */
  readonly mutesOfOthers: ReadonlyMap<string, Pick<MemberState, 'chatMute' | 'voiceMute'>>
}

export interface RoleState {
  readonly id: string
  readonly systemName: string
  readonly rights: ReadonlySet<string>
}

export interface MemberState {
  readonly roleIds: ReadonlySet<string>
  readonly isBot: boolean
  readonly chatMute?: Mute
  readonly voiceMute?: Mute
}

/** The times between which a mute ends by itself. */
export interface Mute {
  readonly earliestEnd: number
  readonly latestEnd: number
}

export interface RoomState {
  readonly name: string
  readonly type: 'text' | 'voice' | 'stream'
  readonly isPrivate: boolean
  readonly admittedRoles: ReadonlySet<string>
  readonly admittedMembers: ReadonlySet<string>
  readonly overrides: ReadonlyMap<string, Override>
}

export interface Override {
  readonly allow: ReadonlySet<string>
  readonly deny: ReadonlySet<string>
}

export type Verdict = 'yes' | 'no' | 'unsure'

/** What a chat mute takes away. */
const TAKEN_BY_CHAT_MUTE = new Set(['write_text_room', 'edit_text_msg_you_own', 'react_text_msg'])
const TAKEN_BY_VOICE_MUTE = new Set(['talk_voice_room', 'start_broadcast'])

/** A private room is one that only admitted roles and members see; the owner passes always. */
export function sees(state: ChannelState, who: string, roomId: string): Verdict {
  const member = state.members.get(who)
  const room = state.rooms.get(roomId)
  if (!member) return 'no'
  if (!room) return state.deletedRooms.has(roomId) ? 'no' : 'unsure'
  if (!room.isPrivate || who === state.ownerId) return 'yes'
  return room.admittedMembers.has(who) || !room.admittedRoles.isDisjointFrom(member.roleIds) ? 'yes' : 'no'
}

/** Whether someone has a right in a room during a time in which only mutes can change. */
export function may(state: ChannelState, who: string, right: string, roomId: string, during: Span): Verdict {
  const seen = sees(state, who, roomId)
  if (seen !== 'yes' || who === state.ownerId) return seen
  const member = state.members.get(who)
  const room = state.rooms.get(roomId)
  if (!member || !room || !isAllowed(state, member, right, room)) return 'no'
  const mute = TAKEN_BY_CHAT_MUTE.has(right)
    ? member.chatMute
    : TAKEN_BY_VOICE_MUTE.has(right)
      ? member.voiceMute
      : undefined
  return mute ? whileMuted(mute, during) : 'yes'
}

/** Whether someone has a right in the whole channel. */
export function mayInChannel(state: ChannelState, who: string, right: string): Verdict {
  const member = state.members.get(who)
  if (!member) return 'no'
  if (who === state.ownerId) return 'yes'
  return rolesOf(state, member).some(({ rights }) => rights.has(right)) ? 'yes' : 'no'
}

/** Moderation acts on members whose highest role ranks below the actor’s, never on the owner or on oneself. */
export function outranks(state: ChannelState, who: string, target: string): boolean {
  if (target === state.ownerId || target === who) return false
  if (who === state.ownerId) return true
  return rankOf(state, who) > rankOf(state, target)
}

/** How high the highest role is; -1 without any. */
function rankOf(state: ChannelState, who: string): number {
  const member = state.members.get(who)
  const place = member ? state.roles.findIndex(({ id }) => member.roleIds.has(id)) : -1
  return place === -1 ? -1 : state.roles.length - place
}

function rolesOf(state: ChannelState, member: MemberState): RoleState[] {
  return state.roles.filter(({ id }) => member.roleIds.has(id))
}

function isAllowed(state: ChannelState, member: MemberState, right: string, room: RoomState): boolean {
  const roles = rolesOf(state, member)
  // The highest role that says anything about it in this room decides.
  for (const { id } of roles) {
    const override = room.overrides.get(id)
    if (override?.allow.has(right)) return true
    if (override?.deny.has(right)) return false
  }
  return roles.some(({ rights }) => rights.has(right))
}

export interface Span {
  readonly from: number
  readonly to: number
}

function whileMuted({ earliestEnd, latestEnd }: Mute, { from, to }: Span): Verdict {
  if (to < earliestEnd) return 'no'
  return from > latestEnd ? 'yes' : 'unsure'
}
