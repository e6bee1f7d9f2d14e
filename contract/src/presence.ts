import { Type } from 'typebox'
import { eventKind } from './event.ts'
import { nothing, operation } from './operation.ts'
import { NamedMember } from './room-message.ts'
import { RoomId } from './ids.ts'
import { ROOM_TYPES } from './rooms.ts'
import { Id } from './schema.ts'

export const startTyping = operation({
  at: 'POST /rooms/:roomId/typing',
  summary: 'Show others in a room that you are typing (no effect if repeated within 3 seconds)',
  by: 'person',
  access: { room: ROOM_TYPES, right: 'write_text_room' },
  input: Type.Object({ roomId: RoomId }),
  output: nothing,
})

export const typingStarted = eventKind({
  event: 'typing.started',
  summary: 'Someone is typing in a room that is open: show it for 6 seconds or until their message arrives',
  audience: 'portal',
  ephemeral: true,
  forReaders: true,
  data: Type.Object({ roomId: Id, member: NamedMember }),
})

export const presenceChanged = eventKind({
  event: 'presence.changed',
  summary: 'Members of the channel came online or went offline',
  audience: 'portal',
  ephemeral: true,
  data: Type.Object({ online: Type.Array(Id), offline: Type.Array(Id) }),
})
