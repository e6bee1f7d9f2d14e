import { Type, type Static } from 'typebox'
import { eventKind } from './event.ts'
import { ownChannelsPage } from './channels.ts'
import { nothing, ok, operation } from './operation.ts'
import { Count, Id, named, Nullable } from './schema.ts'

export type RoomReadState = Static<typeof RoomReadState>
export const RoomReadState = named(
  'RoomReadState',
  Type.Object({
    channelId: Id,
    roomId: Id,
    readUpTo: { ...Id, description: 'Messages with a greater id are new to the asker' },
    lastMessageId: Nullable({ ...Id, description: 'The newest message; null: the room is empty' }),
    unread: Type.Boolean(),
    mentions: { ...Count, description: 'Unread messages that name the asker' },
    muted: Type.Boolean({ description: 'The asker does not want to be notified of this room' }),
  }),
)

export const listReadStates = operation({
  at: 'GET /readings',
  summary: 'What is unread, in every room with messages that one can read, a page of own channels at a time',
  by: 'person',
  input: Type.Object(ownChannelsPage),
  output: ok(
    Type.Object({
      rooms: Type.Array(RoomReadState),
      nextAfterId: Nullable({ ...Id, description: 'The `afterId` of the next page; null: there is none' }),
    }),
  ),
})

const withMessages = { room: ['text', 'stream'], right: 'read_text_room' } as const

export const markRoomRead = operation({
  at: 'PUT /rooms/:roomId/read',
  summary: 'Mark a room as read up to a message, or to its end; what is read stays read',
  by: 'person',
  access: withMessages,
  input: Type.Object({ roomId: Id, messageId: Type.Optional({ ...Id, description: 'Absent: the newest one' }) }),
  output: ok(RoomReadState),
})

export const markChannelRead = operation({
  at: 'PUT /channels/:channelId/read',
  summary: 'Mark every room of a channel as read',
  by: 'person',
  access: { channel: true },
  input: Type.Object({ channelId: Id }),
  output: nothing,
})

export const muteRoom = operation({
  at: 'PUT /rooms/:roomId/muted',
  summary: 'Ask not to be notified of a room, or to be again',
  by: 'person',
  access: withMessages,
  input: Type.Object({ roomId: Id, muted: Type.Boolean({ rule: 'must be true or false' }) }),
  output: ok(RoomReadState),
})

export const readingChanged = eventKind({
  event: 'reading.changed',
  summary: 'One has read or muted a room, on this or another device; without `reading` many changed: read them anew',
  audience: 'portal',
  ephemeral: true,
  data: Type.Object({ reading: Type.Optional(RoomReadState) }),
})
