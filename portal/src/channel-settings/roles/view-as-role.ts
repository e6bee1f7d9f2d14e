import type { Right, Role, Room, RoomAccess, RoomRight, RoomType } from '@portico/contract'
import { ROOM_RIGHTS } from '@portico/contract/rights'
import { rightsOf, type RightsInput } from '@portico/contract/rights-of'
import { isInGroup } from '#texts/right-labels.ts'

const messageRights = ROOM_RIGHTS.filter((right) => isInGroup(right, 'messages'))

/** The rights that apply to each type of room. */
export const RIGHTS_IN: Readonly<Record<RoomType, readonly RoomRight[]>> = {
  text: messageRights,
  voice: ['join_voice_room', 'talk_voice_room'],
  stream: [...messageRights, 'start_broadcast'],
}

type Overrides = Pick<RoomAccess, 'overrides'>

/** A member with this role. A custom role comes on top of the member role. */
function memberWith(role: Role, roles: readonly Role[], { overrides }: Overrides): RightsInput {
  const below = role.systemName === 'CUSTOM' ? roles.filter(({ systemName }) => systemName === 'CHANNEL_MEMBER') : []
  return {
    isOwner: role.systemName === 'CHANNEL_OWNER',
    roles: [role, ...below],
    overrides,
    chatMuted: false,
    voiceMuted: false,
  }
}

/** The rights of a member with this role, in the channel or in a room with overrides. */
export function rightsAs(role: Role, roles: readonly Role[], room: Overrides = { overrides: [] }): ReadonlySet<Right> {
  return rightsOf(memberWith(role, roles, room))
}

export interface SeenRoom {
  readonly room: Room
  readonly seen: boolean
  readonly rights: readonly { readonly right: RoomRight; readonly may: boolean }[]
}

/** The channel's rooms as a member with this role sees them. */
export function roomsAs(
  role: Role,
  roles: readonly Role[],
  rooms: readonly Room[],
  access: readonly (RoomAccess & { readonly roomId: string })[],
): SeenRoom[] {
  return rooms.map((room) => {
    const own = access.find(({ roomId }) => roomId === room.id)
    const member = memberWith(role, roles, own ?? { overrides: [] })
    const rights = rightsOf(member)
    return {
      room,
      seen: !room.private || member.isOwner || member.roles.some(({ id }) => own?.admittedRoleIds.includes(id)),
      rights: RIGHTS_IN[room.type].map((right) => ({ right, may: rights.has(right) })),
    }
  })
}
