import { Type, type Static } from 'typebox'
import { Avatar, AvatarVersion } from './accounts.ts'
import { MessageId, UserId } from './ids.ts'
import { Count, named, Nullable, Timestamp } from './schema.ts'

const Name = Type.String({ examples: ['Ada Novak'] })
const Nickname = Nullable(
  Type.String({ description: 'The nickname on the channel, or null: then `name` is shown', examples: ['Ada'] }),
)

/** Somebody whose name is shown within something else. */
export type NamedMember = Static<typeof NamedMember>
export const NamedMember = named('NamedMember', Type.Object({ id: UserId, name: Name, channelNickname: Nickname }))

/** The author of a message as a row of the conversation shows them. */
export type Speaker = Static<typeof Speaker>
export const Speaker = named(
  'Speaker',
  Type.Object({
    id: UserId,
    name: Name,
    channelNickname: Nickname,
    avatar: Avatar,
    avatarVersion: AvatarVersion,
    isBot: Type.Boolean(),
  }),
)

export type QuotedMessage = Static<typeof QuotedMessage>
export const QuotedMessage = named(
  'QuotedMessage',
  Type.Object(
    {
      id: MessageId,
      author: Nullable({ ...NamedMember, description: 'Null: the message was deleted' }),
      text: Type.String({ description: 'The beginning, with names in the place of mentions; empty when deleted' }),
    },
    { description: 'The message replied to, as far as one line shows it' },
  ),
)

export const ReactionCount = named(
  'ReactionCount',
  Type.Object({ emoji: Type.String(), count: Count, mine: Type.Boolean() }),
)

/** What the text of a message needs beside it to be shown. */
export const Mentions = Type.Array(NamedMember, { description: 'Whom `<@id>` in the text means' })

/** A message with all that a row of the conversation shows: nothing has to be asked for besides. */
export type RoomMessage = Static<typeof RoomMessage>
export const RoomMessage = named(
  'RoomMessage',
  Type.Object({
    id: MessageId,
    text: Type.String({ description: 'Markdown, as it was sent' }),
    createdAt: Timestamp,
    editedAt: Type.Optional({ ...Timestamp, description: 'Absent: never edited' }),
    pinnedAt: Type.Optional({ ...Timestamp, description: 'Absent: not pinned' }),
    author: Speaker,
    replyTo: Type.Optional(QuotedMessage),
    mentions: Mentions,
    reactions: Type.Array(ReactionCount),
  }),
)

/** How much of a message is quoted, in code points. */
export const QUOTED_LENGTH = 160
