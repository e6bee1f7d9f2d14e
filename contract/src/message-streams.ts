import { Type } from 'typebox'
import { eventKind } from './event.ts'
import { ChannelId, MessageId, RoomId } from './ids.ts'
import { LIMITS } from './limits.ts'
import { Message, MessageText } from './messages.ts'
import { created, ok, operation } from './operation.ts'
import { StreamingState } from './room-message.ts'
import { Count, Id, Integer, named } from './schema.ts'

export const STREAM_LIMITS = {
  /** Of one message, in any second. */
  appends: 10,
  /** Messages that an application writes at the same time. */
  atOnce: 3,
  /** In seconds: a message to which nothing is appended for so long is interrupted. */
  silence: 60,
} as const

const place = {
  channelId: { ...ChannelId, description: 'The channel that owns the room' },
  roomId: { ...RoomId, description: 'A text room' },
}
const ofMessage = { ...place, messageId: { ...MessageId, description: 'A message that the bot is writing' } }
const access = { room: ['text'], right: 'write_text_room' } as const

const counted = 'in characters (Unicode code points) from the beginning of the message'
const Position = Integer(0, LIMITS.messageText, { examples: [24] })

export const startMessage = operation({
  at: 'POST /rooms/:roomId/messages/streams',
  summary: 'Send a message whose text is still being written',
  description: `Append to it with \`appendToMessage\`, and end it with \`finishMessage\`. People who have the room open see it grow; other bots get \`message.created\` now and \`message.updated\` at the end. An application can write ${STREAM_LIMITS.atOnce} messages at the same time. If nothing is appended for ${STREAM_LIMITS.silence} seconds, or the bot can’t write there anymore, the message stays with its text so far, marked as interrupted. A repeated request with the same \`Idempotency-Key\` gets the first response and sends nothing.`,
  by: 'bot',
  scope: 'messages:write',
  quota: 'write',
  access,
  refusals: ['noSuchMessage', 'tooManyStreams', 'idempotencyKeyReused'],
  idempotent: true,
  input: Type.Object({
    ...place,
    text: { ...MessageText, description: 'The beginning, which notifies those it mentions; what is appended doesn’t' },
    replyToId: Type.Optional({ ...MessageId, description: 'The message to reply to, in the same room' }),
  }),
  output: created(Message),
})

export const appendToMessage = operation({
  at: 'POST /rooms/:roomId/messages/:messageId/append',
  summary: 'Append text to a message that is being written',
  description: `Text that is there already isn’t appended again, so a request whose answer was lost can be repeated. Doesn’t count against the quotas of requests and writes: it has its own of ${STREAM_LIMITS.appends} a second for each message.`,
  by: 'bot',
  scope: 'messages:write',
  quota: 'append',
  access,
  refusals: ['notYourMessage', 'streamEnded', 'wrongPosition', 'messageTooLong'],
  input: Type.Object({
    ...ofMessage,
    position: { ...Position, description: `Where the text begins, ${counted}` },
    text: Type.String({
      minLength: 1,
      maxLength: LIMITS.messageText,
      format: 'text',
      rule: `must be 1–${LIMITS.messageText} characters`,
      description: `The message as a whole can have ${LIMITS.messageText} characters`,
      examples: [' The tests pass.'],
    }),
  }),
  output: ok(
    named(
      'AppendedText',
      Type.Object({ id: MessageId, position: { ...Position, description: `Where the next text begins, ${counted}` } }),
    ),
  ),
})

export const finishMessage = operation({
  at: 'POST /rooms/:roomId/messages/:messageId/finish',
  summary: 'End a message that is being written (no effect if it has ended that way)',
  by: 'bot',
  scope: 'messages:write',
  access,
  refusals: ['notYourMessage', 'streamEnded', 'wrongPosition'],
  input: Type.Object({
    ...ofMessage,
    position: Type.Optional({
      ...Position,
      description: 'The length of the whole text: refused if some of it is missing. Absent: it isn’t checked',
    }),
    interrupted: Type.Optional(
      Type.Boolean({ description: 'The bot couldn’t write it to the end: the message is marked', examples: [false] }),
    ),
  }),
  output: ok(
    named(
      'FinishedMessage',
      Type.Object({
        id: MessageId,
        text: Type.String({ description: 'The whole text', examples: ['Build **1.4.0** is green. The tests pass.'] }),
        streaming: Type.Optional(StreamingState),
      }),
    ),
  ),
})

export const messageAppended = eventKind({
  event: 'message.appended',
  summary: 'A message that a bot is writing has grown',
  audience: 'portal',
  forReaders: true,
  ephemeral: true,
  data: Type.Object({ roomId: Id, messageId: Id, position: Count, text: Type.String() }),
})
