import { Type } from 'typebox'
import { eventKind } from './event.ts'
import { nothing, operation } from './operation.ts'
import { NamedMember } from './room-message.ts'
import { Id } from './schema.ts'

export const startTyping = operation({
  at: 'POST /rooms/:roomId/typing',
  summary: 'Tell the others of a room that one is writing; asked again within 3 seconds it tells nothing',
  by: 'person',
  access: { room: ['text', 'stream'], right: 'write_text_room' },
  input: Type.Object({ roomId: Id }),
  output: nothing,
})

export const typingStarted = eventKind({
  event: 'typing.started',
  summary: 'Somebody is writing in a room: shown for 6 seconds, or until their message comes',
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
