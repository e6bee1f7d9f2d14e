import { Type, type Static } from 'typebox'
import { Author } from './accounts.ts'
import { CategoryId, ChannelId, RoleId, RoomId, UserId, VoiceRoomId } from './ids.ts'
import { LIMITS } from './limits.ts'
import { Name } from './names.ts'
import { created, nothing, ok, operation, seen, type RoomType } from './operation.ts'
import { RIGHTS, ROOM_RIGHTS } from './rights.ts'
import { Id, Integer, named, Nullable, OneOf, Text, Timestamp } from './schema.ts'

export const ROOM_TYPES = ['text', 'voice', 'stream'] as const satisfies readonly RoomType[]

const RoomName = Name(LIMITS.roomName.min, LIMITS.roomName.max, { examples: ['general'] })
const Topic = Nullable(Text(0, LIMITS.roomTopic, { description: 'A line about the room, shown next to its name' }))
const UserLimit = Nullable(Integer(1, LIMITS.voiceRoomUsers, { description: 'Voice rooms only; null for no limit' }))
const Private = Type.Boolean({
  description: 'Only admitted roles and members can see it',
  rule: 'must be true or false',
})
const WriteRestricted = Type.Boolean({
  description: 'True if posting is restricted (the role CHANNEL_MEMBER can’t write)',
  rule: 'must be true or false',
})

export type VoiceUser = Static<typeof VoiceUser>
export const VoiceUser = named(
  'VoiceUser',
  Type.Object({
    id: UserId,
    name: Type.String({ examples: ['Ada Novak'] }),
    channelNickname: Type.String({
      description: 'The nickname in this channel, or else the name',
      examples: ['Ada'],
    }),
    avatar: Type.Optional(Type.String({ portalOnly: true })),
    avatarVersion: Type.Optional(Type.Integer({ portalOnly: true })),
    roleIds: Type.Optional(Type.Array(Id, { description: 'Their roles in the channel', portalOnly: true })),
    isBot: Type.Optional(Type.Boolean({ description: 'Set for the bot of an application', portalOnly: true })),
    live: Type.Optional(
      Type.Boolean({ description: 'Stream rooms only: broadcasting rather than watching', portalOnly: true }),
    ),
  }),
)

export type Room = Static<typeof Room>
export const Room = named(
  'Room',
  Type.Object({
    id: RoomId,
    name: Type.String({ examples: ['general'] }),
    type: OneOf(ROOM_TYPES, { examples: ['text'] }),
    categoryId: Nullable({ ...CategoryId, description: 'One of `categories`, or null' }),
    sort: Type.Integer({ description: 'Order within the channel, as in the portal', examples: [1] }),
    writeRestricted: { ...WriteRestricted, examples: [false] },
    private: Type.Optional(Type.Boolean({ description: 'Bots are never shown private rooms', portalOnly: true })),
    topic: Type.Optional(
      Nullable(Type.String({ description: 'A line about the room', examples: ['Day-to-day talk'] })),
    ),
    userLimit: Type.Optional(Nullable(Type.Integer({ description: 'Voice rooms only; null for no limit' }))),
    users: Type.Optional(Type.Array(VoiceUser, { description: 'Voice rooms only: who is in the room now' })),
  }),
)

export type Category = Static<typeof Category>
export const Category = named(
  'Category',
  Type.Object({
    id: CategoryId,
    name: Type.String({ examples: ['Work'] }),
    sort: Type.Integer({ description: 'Order within the channel, as in the portal', examples: [1] }),
  }),
)

const generalRoom = {
  id: RoomId.examples[0],
  name: 'general',
  type: 'text',
  categoryId: CategoryId.examples[0],
  sort: 1,
  writeRestricted: false,
  topic: 'Day-to-day talk',
}
const voiceRoom = {
  id: VoiceRoomId.examples[0],
  name: 'Stand-up',
  type: 'voice',
  categoryId: null,
  sort: 2,
  writeRestricted: false,
  topic: null,
  userLimit: 12,
  users: [{ id: UserId.examples[0], name: 'Ada Novak', channelNickname: 'Ada' }],
}

export const listRooms = operation({
  at: 'GET /channels/:channelId/rooms',
  summary: 'List the rooms of a channel, with the people in voice rooms',
  description: 'Private rooms are never listed to bots, even if the bot is admitted.',
  by: 'member',
  scope: 'channel:read',
  access: { channel: true },
  input: Type.Object({ channelId: ChannelId }),
  output: ok(
    Type.Object({
      rooms: Type.Array(Room, { examples: [[generalRoom, voiceRoom]] }),
      categories: Type.Array(Category),
    }),
  ),
})

export const createRoom = operation({
  at: 'POST /channels/:channelId/rooms',
  summary: 'Create a room; a private room admits its creator',
  by: 'person',
  access: { channel: true, right: 'manage_rooms', exclusive: true },
  input: Type.Object({
    channelId: ChannelId,
    name: RoomName,
    type: OneOf(ROOM_TYPES),
    categoryId: Type.Optional(Nullable(Id)),
    topic: Type.Optional(Topic),
    private: Type.Optional(Private),
    writeRestricted: Type.Optional(WriteRestricted),
    userLimit: Type.Optional(UserLimit),
  }),
  output: created(Room),
})

const roomAt = { channelId: ChannelId, roomId: RoomId }
const anyRoom = { room: ROOM_TYPES, right: 'manage_rooms' } as const
const changedRoom = { ...anyRoom, exclusive: true } as const

export const updateRoom = operation({
  at: 'PATCH /channels/:channelId/rooms/:roomId',
  summary: 'Change a room',
  by: 'person',
  access: changedRoom,
  input: Type.Object({
    ...roomAt,
    name: Type.Optional(RoomName),
    categoryId: Type.Optional(Nullable(Id)),
    topic: Type.Optional(Topic),
    private: Type.Optional(Private),
    writeRestricted: Type.Optional(WriteRestricted),
    userLimit: Type.Optional(UserLimit),
    seen: seen({
      name: Type.Optional(Type.String()),
      topic: Type.Optional(Nullable(Type.String())),
      private: Type.Optional(Private),
      writeRestricted: Type.Optional(WriteRestricted),
      userLimit: Type.Optional(Nullable(Type.Integer())),
    }),
  }),
  output: ok(Room),
})

export const deleteRoom = operation({
  at: 'DELETE /channels/:channelId/rooms/:roomId',
  summary: 'Delete a room with everything in it',
  by: 'person',
  access: changedRoom,
  input: Type.Object(roomAt),
  output: nothing,
})

export const createCategory = operation({
  at: 'POST /channels/:channelId/categories',
  summary: 'Create a category',
  by: 'person',
  access: { channel: true, right: 'manage_rooms', exclusive: true },
  input: Type.Object({ channelId: ChannelId, name: Name(LIMITS.categoryName.min, LIMITS.categoryName.max) }),
  output: created(Category),
})

export const updateCategory = operation({
  at: 'PATCH /channels/:channelId/categories/:categoryId',
  summary: 'Rename a category',
  by: 'person',
  access: { channel: true, right: 'manage_rooms', exclusive: true },
  input: Type.Object({
    channelId: ChannelId,
    categoryId: CategoryId,
    name: Name(LIMITS.categoryName.min, LIMITS.categoryName.max),
  }),
  output: ok(Category),
})

export const deleteCategory = operation({
  at: 'DELETE /channels/:channelId/categories/:categoryId',
  summary: 'Delete a category; its rooms stay, without a category',
  by: 'person',
  access: { channel: true, right: 'manage_rooms', exclusive: true },
  input: Type.Object({ channelId: ChannelId, categoryId: CategoryId }),
  output: nothing,
})

export const sortRooms = operation({
  at: 'PUT /channels/:channelId/order',
  summary: 'Reorder the rooms and categories of a channel',
  description: 'Lists some or all of them in the new order; the others keep their order and come last.',
  by: 'person',
  access: { channel: true, right: 'manage_rooms', exclusive: true },
  input: Type.Object({
    channelId: ChannelId,
    rooms: Type.Optional(
      Type.Array(Type.Object({ id: Id, categoryId: Type.Optional(Nullable(Id)) }), {
        maxItems: LIMITS.roomsOfChannel,
      }),
    ),
    categories: Type.Optional(Type.Array(Id, { maxItems: LIMITS.categoriesOfChannel })),
  }),
  output: nothing,
})

const RoomRights = Type.Array(OneOf(ROOM_RIGHTS), { uniqueItems: true, rule: 'must be rights that a room can set' })

export type RoomAccess = Static<typeof RoomAccess>
export const RoomAccess = named(
  'RoomAccess',
  Type.Object({
    overrides: Type.Array(Type.Object({ roleId: Id, allow: RoomRights, deny: RoomRights })),
    admittedRoleIds: Type.Array(Id),
    admittedMembers: Type.Array(Type.Object({ id: Id, name: Type.String() })),
  }),
)

export const getRoomAccess = operation({
  at: 'GET /channels/:channelId/rooms/:roomId/access',
  summary: 'Get a room’s overrides for roles, and whom it admits while private',
  by: 'person',
  access: anyRoom,
  input: Type.Object(roomAt),
  output: ok(RoomAccess),
})

export const listRoomAccess = operation({
  at: 'GET /channels/:channelId/room-access',
  summary: 'Get the overrides of all rooms you can see, for people who manage rooms or roles',
  by: 'person',
  access: { channel: true },
  input: Type.Object({ channelId: ChannelId }),
  output: ok(Type.Object({ rooms: Type.Array(Type.Object({ roomId: Id, ...RoomAccess.properties })) })),
})

export const setRoomOverride = operation({
  at: 'PUT /channels/:channelId/rooms/:roomId/overrides/:roleId',
  summary: 'Allow or deny rights for a role in a room; two empty lists remove the override',
  description: 'The role must rank below your own. You can allow only rights that you have.',
  by: 'person',
  access: { room: ROOM_TYPES, right: 'manage_roles', exclusive: true },
  input: Type.Object({
    ...roomAt,
    roleId: RoleId,
    allow: RoomRights,
    deny: RoomRights,
    seen: seen({ allow: RoomRights, deny: RoomRights }),
  }),
  output: ok(RoomAccess),
})

export const setRoomAdmissions = operation({
  at: 'PUT /channels/:channelId/rooms/:roomId/admissions',
  summary: 'Replace the list of roles and members that a private room admits',
  by: 'person',
  access: changedRoom,
  input: Type.Object({
    ...roomAt,
    roleIds: Type.Array(Id, { maxItems: LIMITS.rolesOfChannel }),
    memberIds: Type.Array(Id, { maxItems: 1000 }),
    seen: seen({ roleIds: Type.Array(Id), memberIds: Type.Array(Id) }),
  }),
  output: ok(RoomAccess),
})

const Mute = Nullable(
  Type.Object(
    {
      until: Nullable({ ...Timestamp, description: 'Null if it has no end' }),
      reason: Nullable(Type.String()),
      by: Nullable({ ...Author, description: 'Null if the channel doesn’t show it' }),
    },
    { description: 'Null if not muted' },
  ),
)

export type RoomPermissions = Static<typeof RoomPermissions>
export const RoomPermissions = named(
  'RoomPermissions',
  Type.Object({
    rights: Type.Array(OneOf(RIGHTS), { description: 'Your rights in the room, taking mutes into account' }),
    roleIds: Type.Array(Id, { description: 'Your roles in the channel' }),
    chatMute: Mute,
    voiceMute: Mute,
  }),
)

export const getRoomPermissions = operation({
  at: 'GET /rooms/:roomId/permissions',
  summary: 'Get your rights in a room, and whether you are muted',
  by: 'person',
  access: { room: ROOM_TYPES },
  input: Type.Object({ roomId: RoomId }),
  output: ok(RoomPermissions),
})
