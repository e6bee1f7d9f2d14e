import { Type } from 'typebox'
import { LIMITS } from './limits.ts'
import { ok, operation } from './operation.ts'
import { ChannelId, MessageId, RoomId, UserId } from './ids.ts'
import { Count, Id, Integer, named, Nullable } from './schema.ts'
import { NamedMember, RoomMessage } from './room-message.ts'
import { ROOM_TYPES } from './rooms.ts'

const inRoom = { roomId: RoomId }

export const readHistory = operation({
  at: 'GET /rooms/:roomId/history',
  summary: 'Get a page of a room’s messages, oldest first: the newest, or those before, after or around a message',
  description: 'At most one of `beforeId`, `afterId` and `aroundId`; that message may have been deleted.',
  by: 'person',
  access: { room: ROOM_TYPES, right: 'read_text_room' },
  input: Type.Object({
    ...inRoom,
    limit: Type.Optional(Integer(1, LIMITS.historyPage, { description: 'Default 50' })),
    beforeId: Type.Optional({ ...MessageId, description: 'Messages before this one' }),
    afterId: Type.Optional({ ...MessageId, description: 'Messages after this one' }),
    aroundId: Type.Optional({ ...MessageId, description: 'Messages around this one' }),
  }),
  output: ok(
    Type.Object({
      messages: Type.Array(RoomMessage),
      hasOlder: Type.Boolean({ description: 'Older messages exist before the first one' }),
      hasNewer: Type.Boolean({ description: 'Newer messages exist after the last one' }),
      readUpTo: { ...Id, description: 'Messages with a greater id are unread by the caller' },
    }),
  ),
})

export const listReactors = operation({
  at: 'GET /rooms/:roomId/messages/:messageId/reactions',
  summary: 'List who reacted to a message, the first hundred for each emoji',
  by: 'person',
  access: { room: ROOM_TYPES, right: 'read_text_room' },
  input: Type.Object({ ...inRoom, messageId: MessageId }),
  output: ok(
    Type.Object({
      reactions: Type.Array(
        named(
          'Reactors',
          Type.Object({
            emoji: Type.String(),
            count: Count,
            members: Type.Array(Type.Object({ ...NamedMember.properties, isBot: Type.Boolean() }), { maxItems: 100 }),
          }),
        ),
      ),
    }),
  ),
})

const Found = Type.Array(Type.Object({ from: Count, to: Count }), {
  description: 'Where the matches are in the text: start and end, in UTF-16 units',
})

export const searchMessages = operation({
  at: 'GET /channels/:channelId/search',
  summary: 'Search messages in rooms that the caller can read, newest first',
  description:
    'Finds all forms of a word, in English and Russian. `"two words"` finds a phrase, `-word` excludes a word, `or` finds either. Pass `nextBeforeId` as `beforeId` for the next page.',
  by: 'person',
  access: { channel: true },
  input: Type.Object({
    channelId: ChannelId,
    q: Type.String({
      minLength: 1,
      maxLength: 200,
      pattern: '\\S',
      format: 'text',
      rule: 'must be 1–200 characters',
      description: 'What to search for',
    }),
    roomId: Type.Optional({ ...RoomId, description: 'Only messages in this room' }),
    authorId: Type.Optional({ ...UserId, description: 'Only messages of this author' }),
    beforeId: Type.Optional({ ...Id, description: 'The `nextBeforeId` of the previous page' }),
    limit: Type.Optional(Integer(1, 50, { description: 'Default 25' })),
  }),
  output: ok(
    Type.Object({
      hits: Type.Array(
        named(
          'SearchHit',
          Type.Object({
            roomId: Id,
            message: RoomMessage,
            found: Found,
            inCard: Type.Optional(
              Type.Object(
                { text: Type.String(), found: Found },
                { description: 'The first text of the cards with a match. Absent if there is none' },
              ),
            ),
          }),
        ),
      ),
      nextBeforeId: Nullable({
        ...Id,
        description:
          'The `beforeId` of the next page; null if there is none. A search that has examined very many messages returns what it found so far: a page may be short or empty and still have a next one',
      }),
    }),
  ),
})
