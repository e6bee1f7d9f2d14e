import { Type } from 'typebox'
import { LIMITS } from './limits.ts'
import { ok, operation } from './operation.ts'
import { Count, Id, Integer, named, Nullable } from './schema.ts'
import { NamedMember, RoomMessage } from './room-message.ts'

const inRoom = { roomId: Id }

export const readHistory = operation({
  at: 'GET /rooms/:roomId/history',
  summary: 'A stretch of a room’s conversation, oldest first: the newest, or that before, after or around a message',
  description: 'At most one of `beforeId`, `afterId` and `aroundId`; the message that it names may be deleted by now.',
  by: 'person',
  access: { room: ['text', 'stream'], right: 'read_text_room' },
  input: Type.Object({
    ...inRoom,
    limit: Type.Optional(Integer(1, LIMITS.historyPage, { description: '50 unless told' })),
    beforeId: Type.Optional(Id),
    afterId: Type.Optional(Id),
    aroundId: Type.Optional(Id),
  }),
  output: ok(
    Type.Object({
      messages: Type.Array(RoomMessage),
      hasOlder: Type.Boolean({ description: 'Older messages exist before the first one' }),
      hasNewer: Type.Boolean({ description: 'Newer messages exist behind the last one' }),
      readUpTo: { ...Id, description: 'Messages with a greater id are new to the asker' },
    }),
  ),
})

export const listReactors = operation({
  at: 'GET /rooms/:roomId/messages/:messageId/reactions',
  summary: 'Who reacted to a message, each kind with the first hundred in the order of reacting',
  by: 'person',
  access: { room: ['text', 'stream'], right: 'read_text_room' },
  input: Type.Object({ ...inRoom, messageId: Id }),
  output: ok(
    Type.Object({
      reactions: Type.Array(
        named(
          'Reactors',
          Type.Object({ emoji: Type.String(), count: Count, members: Type.Array(NamedMember, { maxItems: 100 }) }),
        ),
      ),
    }),
  ),
})

export const searchMessages = operation({
  at: 'GET /channels/:channelId/search',
  summary: 'Messages with these words, in rooms that the asker can read, newest first',
  description:
    'Words are found in all their forms, English and Russian. `"two words"` finds them side by side, `-word` leaves out, `or` finds either. The next page is asked for with `nextBeforeId`.',
  by: 'person',
  access: { channel: true },
  input: Type.Object({
    channelId: Id,
    q: Type.String({ minLength: 1, maxLength: 200, pattern: '\\S', format: 'text', rule: 'must be 1–200 characters' }),
    roomId: Type.Optional(Id),
    authorId: Type.Optional(Id),
    beforeId: Type.Optional({ ...Id, description: 'The `nextBeforeId` of the page before' }),
    limit: Type.Optional(Integer(1, 50, { description: '25 unless told' })),
  }),
  output: ok(
    Type.Object({
      hits: Type.Array(
        named(
          'SearchHit',
          Type.Object({
            roomId: Id,
            message: RoomMessage,
            found: Type.Array(Type.Object({ from: Count, to: Count }), {
              description: 'Where the words are in `text`: from and up to, in UTF-16 units',
            }),
          }),
        ),
      ),
      nextBeforeId: Nullable({
        ...Id,
        description:
          'The `beforeId` of the next page; null: there is none. A search that has looked at very many messages gives what it found so far: a page may be short, or empty, and still have a next one',
      }),
    }),
  ),
})
