import { Type, type Static } from 'typebox'
import { eventKind } from './event.ts'
import { ownChannelsPage } from './channels.ts'
import { nothing, ok, operation } from './operation.ts'
import { ChannelId, RoomId } from './ids.ts'
import { Level } from './notifications.ts'
import { ROOM_TYPES } from './rooms.ts'
import { Count, Id, named, Nullable, Timestamp } from './schema.ts'

export type RoomReadState = Static<typeof RoomReadState>
export const RoomReadState = named(
  'RoomReadState',
  Type.Object({
    channelId: Id,
    roomId: Id,
    readUpTo: { ...Id, description: 'Messages with a greater id are unread by the caller' },
    lastMessageId: Nullable({ ...Id, description: 'The newest message; null if the room is empty' }),
    unread: Type.Boolean(),
    mentions: { ...Count, description: 'Unread messages that mention the caller' },
    muted: Type.Boolean({ description: 'The caller has muted this room or its channel' }),
    mutedUntil: Nullable({ ...Timestamp, description: 'When it is no longer muted. Null if that has no end' }),
    channelMuted: Type.Boolean({ description: 'The caller has muted the whole channel' }),
    level: { ...Level, description: 'What the room notifies the caller about, unless muted' },
  }),
)

export const listReadStates = operation({
  at: 'GET /read-states',
  summary: 'Get the read state of every text room you can read, one page of channels at a time',
  by: 'person',
  input: Type.Object(ownChannelsPage),
  output: ok(
    Type.Object({
      rooms: Type.Array(RoomReadState),
      nextAfterId: Nullable({ ...Id, description: 'The `afterId` of the next page; null if there is none' }),
    }),
  ),
})

const withMessages = { room: ROOM_TYPES, right: 'read_text_room' } as const

export const markRoomRead = operation({
  at: 'PUT /rooms/:roomId/read',
  summary: 'Mark a room as read up to a message or to its end (never marks as unread)',
  by: 'person',
  access: withMessages,
  input: Type.Object({ roomId: RoomId, messageId: Type.Optional({ ...Id, description: 'Absent for the newest one' }) }),
  output: ok(RoomReadState),
})

export const markRoomUnread = operation({
  at: 'PUT /rooms/:roomId/unread',
  summary: 'Mark a room as unread from a message on',
  by: 'person',
  access: withMessages,
  input: Type.Object({ roomId: RoomId, messageId: { ...Id, description: 'The first unread message' } }),
  output: ok(RoomReadState),
})

export const markChannelRead = operation({
  at: 'PUT /channels/:channelId/read',
  summary: 'Mark every room of a channel as read',
  by: 'person',
  access: { channel: true },
  input: Type.Object({ channelId: ChannelId }),
  output: nothing,
})

export const readingChanged = eventKind({
  event: 'reading.changed',
  summary:
    'You read or muted a room, or chose its notification level, on this or another device; without `reading`, many changed: reload them',
  audience: 'portal',
  ephemeral: true,
  data: Type.Object({ reading: Type.Optional(RoomReadState) }),
})
