import { Type, type Static } from 'typebox'
import { RoleTitle } from './channels.ts'
import { RoomId } from './ids.ts'
import { findMembers, ListedMember, listMembersByName, MemberDetails } from './members.ts'
import { ok, operation } from './operation.ts'
import { ROOM_TYPES } from './rooms.ts'
import { Count, named, Nullable } from './schema.ts'

/** A member who can see a room, and why. */
export type RoomReader = Static<typeof RoomReader>
export const RoomReader = named(
  'RoomReader',
  Type.Object({
    ...ListedMember.properties,
    admittedAs: Nullable({
      ...RoleTitle,
      description: 'The highest of their roles that lets them see the room. Null if they are admitted by name',
    }),
  }),
)

const pages = listMembersByName.input.properties

export const listRoomReaders = operation({
  at: 'GET /rooms/:roomId/readers',
  summary: 'List the members who can see a room: everyone online and a page of those offline',
  description: 'Pages and order are those of `listMembersByName`.',
  by: 'person',
  access: { room: ROOM_TYPES },
  input: Type.Object({ roomId: RoomId, limit: pages.limit, afterId: pages.afterId }),
  output: ok(
    Type.Object({
      members: Type.Array(RoomReader),
      online: { ...Count, description: 'How many of them are online now, including bots' },
      total: { ...Count, description: 'All who can see the room, including bots' },
      hasMore: Type.Boolean({ description: 'More offline members exist beyond the returned ones' }),
      roles: Type.Array(RoleTitle, { description: 'The roles of the channel, highest first' }),
    }),
  ),
})

const search = findMembers.input.properties

export const findRoomMembers = operation({
  at: 'GET /rooms/:roomId/members/search',
  summary: 'Search the members of a room’s channel by displayed name, and whether each of them can see the room',
  by: 'person',
  access: { room: ROOM_TYPES },
  input: Type.Object({ roomId: RoomId, text: search.text, limit: search.limit }),
  output: ok(
    Type.Object({
      members: Type.Array(Type.Object({ ...MemberDetails.properties, seesRoom: Type.Boolean() })),
    }),
  ),
})
