import { Type, type Static } from 'typebox'
import { Author } from './accounts.ts'
import { Cards, CARDS_LIMIT } from './cards.ts'
import { InvokedCommand } from './command-options.ts'
import { Components } from './components.ts'
import { eventKind } from './event.ts'
import { BotId, ChannelId, MessageId, RoomId, UserId } from './ids.ts'
import { LIMITS } from './limits.ts'
import { created, nothing, ok, operation } from './operation.ts'
import {
  CardMentions,
  MentionedGroups,
  Mentions,
  QuotedMessage,
  ReactionCount,
  RoomMessage,
  Speaker,
  StreamingState,
} from './room-message.ts'
import { Count, Id, Integer, named, OneOf, Text, Timestamp } from './schema.ts'

export const MessageText = Text(1, LIMITS.messageText, {
  description: 'Markdown: bold, italic, code, links',
  examples: ['Build **1.4.0** is green'],
})

/** What no emoji contains: of letters, blanks and punctuation only `#`, `*`, digits, © and ®. A pattern that every tool reads. */
export const EMOJI_PATTERN =
  '^[^\\u0000-\\u0022\\u0024-\\u0029\\u002b-\\u002f\\u003a-\\u00a8\\u00aa-\\u00ad\\u00af-\\u200c\\u200e-\\u203b]+$'

const Emoji = Type.String({
  minLength: 1,
  maxLength: 32,
  format: 'emoji',
  rule: 'must be one emoji',
  description: 'One emoji: one grapheme, as Unicode defines it',
  examples: ['👍'],
})

const SENT_TEXT = { description: 'Markdown, as it was sent', examples: ['Build **1.4.0** is green'] }
const fromBot = {
  id: MessageId.examples[0],
  text: 'Build **1.4.0** is green',
  createdAt: '2026-11-15T09:30:00.000Z',
  author: { id: BotId.examples[0], name: 'Shipyard' },
}

export type Message = Static<typeof Message>
export const Message = named(
  'Message',
  Type.Object(
    {
      id: MessageId,
      text: Type.String(SENT_TEXT),
      createdAt: Timestamp,
      author: Author,
      editedAt: Type.Optional({ ...Timestamp, description: 'Absent if never edited' }),
      replyToId: Type.Optional({ ...MessageId, description: 'The message replied to. Absent if not a reply' }),
      pinnedAt: Type.Optional({ ...Timestamp, description: 'Absent if not pinned' }),
      cards: Type.Optional({ ...Cards, description: 'Absent if there are none' }),
      components: Type.Optional({ ...Components, description: 'Absent if there are none' }),
      streaming: Type.Optional(StreamingState),
      reactions: Type.Optional(Type.Array(ReactionCount, { portalOnly: true })),
    },
    { examples: [fromBot] },
  ),
)

const inTextRoom = {
  channelId: { ...ChannelId, description: 'The channel that owns the room' },
  roomId: { ...RoomId, description: 'A text room' },
}
/** Stream and voice rooms have a chat for people; bots can't take part. */
const textRoom = { room: ['text'], roomOfPeople: ['stream', 'voice'] } as const
const ofMessage = { ...inTextRoom, messageId: MessageId }
const reason = Type.Optional(
  Text(0, LIMITS.reason, { description: 'For the audit log', examples: ['The plan of the week'] }),
)

export const sendMessage = operation({
  at: 'POST /rooms/:roomId/messages',
  summary: 'Send a message to a text room',
  description: 'A repeated request with the same `Idempotency-Key` gets the first response and sends nothing.',
  by: 'member',
  scope: 'messages:write',
  quota: 'write',
  access: { ...textRoom, right: 'write_text_room' },
  refusals: ['noSuchMessage', 'idempotencyKeyReused'],
  idempotent: true,
  input: Type.Object({
    ...inTextRoom,
    text: MessageText,
    replyToId: Type.Optional({ ...MessageId, description: 'The message to reply to, in the same room' }),
    cards: Type.Optional({ ...Cards, description: `Of bots only, shown below the text. ${CARDS_LIMIT}` }),
    components: Type.Optional({
      ...Components,
      description:
        'Buttons and selects, of bots only. Pressing one sends the bot `component.pressed`, if it asks for that kind',
    }),
  }),
  output: created(Message),
})

export const listMessages = operation({
  at: 'GET /rooms/:roomId/messages',
  summary: 'Get the history of a text room, newest first',
  description: 'For the next page, pass the id of the last message as `beforeId`.',
  by: 'member',
  scope: 'messages:read',
  access: { ...textRoom, right: 'read_text_room' },
  refusals: ['noSuchCursor'],
  input: Type.Object({
    ...inTextRoom,
    limit: Type.Optional(Integer(1, LIMITS.historyPage, { description: 'Default 50', examples: [50] })),
    beforeId: Type.Optional({
      ...MessageId,
      description: 'Return messages older than this one, which may have been deleted',
    }),
  }),
  output: ok(
    Type.Object({
      messages: Type.Array(Message, {
        examples: [
          [
            fromBot,
            {
              id: '01a1de8a-7be0-7d02-b64f-0e93c8a15d72',
              text: 'Is the staging build green?',
              createdAt: '2026-11-15T09:29:40.064Z',
              author: { id: UserId.examples[0], name: 'Ada Novak' },
            },
          ],
        ],
      }),
      hasMore: Type.Boolean({ description: 'Older messages exist beyond the returned ones', examples: [true] }),
    }),
  ),
})

export const editMessage = operation({
  at: 'PATCH /rooms/:roomId/messages/:messageId',
  summary: 'Edit your own message within 30 minutes of sending it',
  description: 'The response is the same 403 if the message isn’t yours, was deleted or doesn’t exist.',
  by: 'member',
  scope: 'messages:write',
  access: { ...textRoom, right: 'edit_text_msg_you_own' },
  refusals: ['notYourMessage', 'stillWriting', 'tooOldToEdit'],
  input: Type.Object({
    ...ofMessage,
    text: MessageText,
    cards: Type.Optional({
      ...Cards,
      description: 'Replaces all cards of the message; an empty list removes them. Absent: they stay as they are',
    }),
    components: Type.Optional({
      ...Components,
      description: 'Replaces all buttons and selects; an empty list removes them. Absent: they stay as they are',
    }),
  }),
  output: ok(
    named(
      'EditedMessage',
      Type.Object({
        id: MessageId,
        text: Type.String(SENT_TEXT),
        editedAt: Timestamp,
        cards: Type.Optional({ ...Cards, description: 'Those that the message has now. Absent if there are none' }),
        components: Type.Optional({ ...Components, description: 'As with `cards`' }),
      }),
    ),
  ),
})

export const deleteMessage = operation({
  at: 'DELETE /rooms/:roomId/messages/:messageId',
  summary: 'Delete your own message',
  description:
    'Bots can delete only their own messages; the response is the same 403 if the message isn’t theirs, was deleted or doesn’t exist. People with the right `delete_text_msg_any` can also delete messages of others.',
  by: 'member',
  scope: 'messages:write',
  quota: 'write',
  access: textRoom,
  judges: 'delete_text_msg_you_own',
  refusals: ['notYourMessage'],
  input: Type.Object(ofMessage),
  output: nothing,
})

export const deleteAnyMessage = operation({
  at: 'DELETE /channels/:channelId/messages/:messageId',
  summary: 'Delete a message of another member',
  description:
    'The author’s highest role must rank below the bot’s, unless they have left the channel. The bot’s own messages are deleted with `deleteMessage`.',
  by: 'bot',
  scope: 'moderation',
  access: { channel: true, exclusive: true },
  judges: 'delete_text_msg_any',
  judgesIn: textRoom.room,
  refusals: ['noMessageHere', 'outranked'],
  input: Type.Object({
    channelId: ChannelId,
    messageId: { ...MessageId, description: 'A message in a text room of the channel' },
    reason: Type.Optional(
      Text(0, LIMITS.reason, { description: 'For the audit log', examples: ['Advertising in every room'] }),
    ),
  }),
  output: nothing,
})

export const addReaction = operation({
  at: 'POST /rooms/:roomId/messages/:messageId/reactions',
  summary: 'Add a reaction to a message (idempotent)',
  by: 'member',
  scope: 'messages:write',
  access: { ...textRoom, right: 'react_text_msg' },
  refusals: ['noSuchMessage', 'tooManyReactions'],
  input: Type.Object({ ...ofMessage, emoji: Emoji }),
  output: created(named('Reaction', Type.Object({ emoji: Type.String({ examples: ['👍'] }), messageId: MessageId }))),
})

export const removeReaction = operation({
  at: 'DELETE /rooms/:roomId/messages/:messageId/reactions',
  summary: 'Remove your reaction (no effect if absent)',
  by: 'member',
  scope: 'messages:write',
  access: { ...textRoom, right: 'react_text_msg' },
  refusals: ['noSuchMessage'],
  input: Type.Object({ ...ofMessage, emoji: Emoji }),
  output: nothing,
})

export const pinMessage = operation({
  at: 'POST /rooms/:roomId/messages/:messageId/pin',
  summary: 'Pin a message (idempotent)',
  by: 'member',
  scope: 'moderation',
  access: { ...textRoom, right: 'pin_text_msg' },
  refusals: ['noSuchMessage', 'tooManyPins'],
  input: Type.Object({ ...ofMessage, reason }),
  output: created(named('Pin', Type.Object({ messageId: MessageId, pinnedAt: Timestamp }))),
})

export const unpinMessage = operation({
  at: 'DELETE /rooms/:roomId/messages/:messageId/pin',
  summary: 'Unpin a message (no effect if not pinned)',
  by: 'member',
  scope: 'moderation',
  access: { ...textRoom, right: 'pin_text_msg' },
  refusals: ['noSuchMessage'],
  input: Type.Object({ ...ofMessage, reason }),
  output: nothing,
})

export const listPins = operation({
  at: 'GET /rooms/:roomId/pins',
  summary: 'List the pinned messages of a text room, last pinned first',
  by: 'person',
  access: { ...textRoom, right: 'read_text_room' },
  input: Type.Object(inTextRoom),
  output: ok(Type.Object({ messages: Type.Array(RoomMessage) })),
})

export const messageCreated = eventKind({
  event: 'message.created',
  summary: 'A message was sent in a text room',
  audience: 'bots',
  botsIn: 'text',
  forReaders: true,
  data: Type.Object({
    roomId: Id,
    message: Type.Object({
      id: Id,
      text: Type.String(),
      createdAt: Timestamp,
      author: Author,
      replyToId: Type.Optional(Id),
      cards: Type.Optional(Cards),
      components: Type.Optional(Components),
      streaming: Type.Optional({
        ...StreamingState,
        description: '`writing`: a bot sends the rest of the text later; `message.updated` has all of it',
      }),
    }),
    command: Type.Optional({
      ...InvokedCommand,
      description: 'Only for the application whose command it is, if it has declared options',
    }),
  }),
  shown: Type.Object({
    author: Speaker,
    replyTo: Type.Optional(QuotedMessage),
    mentions: Mentions,
    mentionedGroups: MentionedGroups,
    cardMentions: CardMentions,
  }),
})

export const messageUpdated = eventKind({
  event: 'message.updated',
  summary: 'A message was edited',
  audience: 'bots',
  botsIn: 'text',
  forReaders: true,
  data: Type.Object({
    roomId: Id,
    message: Type.Object({
      id: Id,
      text: Type.String(),
      editedAt: Timestamp,
      author: Author,
      cards: Type.Optional({ ...Cards, description: 'Those that the message has now. Absent if there are none' }),
      components: Type.Optional({ ...Components, description: 'As with `cards`' }),
      streaming: Type.Optional({
        ...OneOf(['finished', 'interrupted']),
        description: 'A bot has finished writing the message, or will never finish it. Absent if it was edited',
      }),
    }),
  }),
  shown: Type.Object({ mentions: Mentions, mentionedGroups: MentionedGroups, cardMentions: CardMentions }),
})

export const messageDeleted = eventKind({
  event: 'message.deleted',
  summary: 'A message was deleted',
  audience: 'bots',
  botsIn: 'text',
  forReaders: true,
  data: Type.Object({ roomId: Id, message: Type.Object({ id: Id, deletedAt: Timestamp, author: Author }) }),
})

const ReactionChange = Type.Object({
  roomId: Id,
  messageId: Id,
  emoji: Type.String(),
  totalCount: { ...Count, description: 'Number of these reactions on the message after the change' },
  user: Author,
})

export const reactionAdded = eventKind({
  event: 'reaction.added',
  summary: 'A reaction was added to a message',
  audience: 'bots',
  botsIn: 'text',
  forReaders: true,
  data: ReactionChange,
})

export const reactionRemoved = eventKind({
  event: 'reaction.removed',
  summary: 'A reaction was removed from a message',
  audience: 'bots',
  botsIn: 'text',
  forReaders: true,
  data: ReactionChange,
})

const PinChange = Type.Object({ roomId: Id, messageId: Id, pinnedAt: Type.Optional(Timestamp) })

export const messagePinned = eventKind({
  event: 'message.pinned',
  summary: 'A message was pinned',
  audience: 'portal',
  forReaders: true,
  data: PinChange,
})

export const messageUnpinned = eventKind({
  event: 'message.unpinned',
  summary: 'A message was unpinned',
  audience: 'portal',
  forReaders: true,
  data: PinChange,
})
